// What every entry of the package exports, except `open`.
export * from "./arguments.js";
export * from "./bodies.js";
export * from "./cards.js";
export * from "./clients.js";
export * from "./codes.js";
export * from "./compose.js";
export * from "./conversation.js";
export * from "./custom.js";
export * from "./error.js";
export * from "./handoff.js";
export * from "./handover.js";
export * from "./import.js";
export * from "./json.js";
export * from "./ledger.js";
export * from "./lock.js";
export * from "./methods.js";
export * from "./operations.js";
export * from "./payload.js";
export * from "./results.js";
export * from "./store.js";
export * from "./workspace.js";

/** The version of this package. */
export declare const version: string;
