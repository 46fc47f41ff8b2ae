export { contextMatchers, type MatcherResult } from "./vitest.js";
