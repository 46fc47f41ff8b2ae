// Projects at the edge: every project is a Durable Object with its own storage, and speaks the
// routes of `tuckbox/http`. Whoever has the token may use them.
//
//   GET  /projects/{project_id}/boxes/{box_id}/cards
//   POST /projects/{project_id}/operations/pack_context/preview
//   POST /projects/{project_id}/operations/pack_context/commit
//   PUT  /projects/{project_id}/profiles
import { DurableObject } from "cloudflare:workers";
import { open } from "tuckbox";
import { fetchHandler } from "tuckbox/http";
import { durableObjectStore } from "tuckbox/stores/durable-object";

/** One project. An object runs in one place at a time, so its storage needs no other lock. */
export class Project extends DurableObject {
  #store = durableObjectStore(this.ctx.storage);
  // the Worker has checked who asks and which project this is
  #handle = fetchHandler({ open, store: this.#store, authorize: () => true });

  fetch(request) {
    return this.#handle(request);
  }

  addProfiles(project_id, profiles) {
    return this.#store.addProfiles(project_id, profiles);
  }
}

export default {
  async fetch(request, env) {
    if (!(await isAllowed(request, env))) return new Response("who are you?", { status: 401 });
    const { pathname } = new URL(request.url);
    const [, project_id, rest] = /^\/projects\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (project_id === undefined) return new Response("there is nothing at this address", { status: 404 });

    const name = decodeURIComponent(project_id);
    const project = env.PROJECTS.getByName(name);
    if (request.method === "PUT" && rest === "profiles") {
      await project.addProfiles(name, await request.json());
      return new Response(null, { status: 204 });
    }
    return project.fetch(request);
  },
};

/** Compares in a time that tells nothing about the token. */
async function isAllowed(request, { API_TOKEN }) {
  const digest = (text) => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const given = request.headers.get("authorization") ?? "";
  return crypto.subtle.timingSafeEqual(await digest(given), await digest(`Bearer ${API_TOKEN}`));
}
