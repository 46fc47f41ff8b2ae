// Matchers for contexts in Vitest: `expect.extend(contextMatchers)`.
export { contextMatchers } from "./lib/lock/matchers.js";
