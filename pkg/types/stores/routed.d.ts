import type { Store } from "../store.js";

/**
 * Returns a store whose projects are in other stores. `route` returns the store of a project. It must always return
 * the same one: a project that moves must be copied first.
 *
 * An engine has one project, so pass it the store of its project: that store has a clock.
 */
export declare function routedStore(route: (projectId: string) => Store | PromiseLike<Store>): Store;

/**
 * Returns a route by a hash of the project id. The names of the stores decide, not their order. With one more store, of
 * n in total, about 1/n of the projects move, all to the new one.
 */
export declare function routeByHash<S extends Store>(stores: { readonly [name: string]: S }): (projectId: string) => S;
