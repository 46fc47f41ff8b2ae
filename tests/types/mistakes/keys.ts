// Calls with a mistyped key. `types.test.mjs` checks that each error names the key.
import { open, type Store, type Workspace } from "tuckbox";
import { engine } from "tuckbox/engine";

declare const project: Workspace;
declare const store: Store;
const call = { tool_suffix: "t", source_agent_id: "a", arguments: {} };

export const mistakes = [
  project.preview("pack_context", { tool_sufix: 1 }),
  project.pack({ ...call, handover: { context_packing_confg: {} } }),
  project.call("pack_context", { ...call, handover: { context_packing_config: { inherit_context: { include_parnt: true } } } }),
  project.preview("pack_context", {
    ...call,
    handover: { context_packing_config: { inherit_context: { include_boxs_from_args: ["a"] } } },
  }),
  project.preview({ ...call, op: "pack_context", handover: { target_profile_config: { profile_nam: "Writer" } } }),
  project.delegate({
    source_agent_id: "a",
    arguments: { target_strategy: "new", target_ref: "W", instruction: "x", context_box: "b" },
  }),
  project.boxes.create({ card_ids: [], box_idd: "b" }),
  project.recipes.check({ recipe: { name: "r", arguments: [], handover: { context_packing_config: { pack_argumnts: [] } } } }),
  open(store, { projectId: "p", timeout_ms: 5 }),
  open(store, { project_id: "p" }),
  engine({ open, store, projectId: "p", tick_ms: 5 }),
];
