// The memory store satisfies the contract.
import { test } from "node:test";
import { memoryStore } from "../../pkg/index.js";
import { testStore } from "../../pkg/testing.js";
import { sizes } from "./sizes.mjs";

const store = memoryStore();
testStore(test, "memory", () => store, { sizes });
