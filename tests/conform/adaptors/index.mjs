// The adaptors by the name of their file of cases. It is a list, because not every runtime can read a folder.
export * as batch from "./calls.mjs";
export * as orchestration_batch from "./calls.mjs";
export * as orchestration_dispatch from "./calls.mjs";
export * as orchestration_l0 from "./calls.mjs";
export * as orchestration_random from "./calls.mjs";
export * as orchestration_turn from "./calls.mjs";
export * as orchestration_watchdog from "./calls.mjs";
export * as orchestration_worker from "./calls.mjs";
export * as cards from "./cards.mjs";
export * as compose from "./compose.mjs";
export * as handoff from "./handoff.mjs";
export * as imports from "./imports.mjs";
export * as pack from "./pack.mjs";
export * as recipes from "./recipes.mjs";
export * as render from "./render.mjs";
export * as scalar_text from "./scalar_text.mjs";
export * as turn_view from "./turn_view.mjs";
