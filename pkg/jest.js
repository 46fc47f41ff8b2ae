// Matchers for contexts in Jest: `expect.extend(contextMatchers)`.
export { contextMatchers } from "./lib/lock/matchers.js";
