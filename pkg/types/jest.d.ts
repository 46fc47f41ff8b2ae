export { contextMatchers, type MatcherResult, recordContexts } from "./vitest.js";
