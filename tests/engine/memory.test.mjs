// The engine satisfies its contract on a memory store.
import { test } from "node:test";
import { memoryStore, open } from "../../pkg/index.js";
import { testEngine } from "../../pkg/testing.js";

testEngine(test, "memory", () => ({ open, store: memoryStore() }));
