// Calls with a mistyped key. `types.test.mjs` checks that each error names the key.
import type { Workspace } from "tuckbox";

declare const project: Workspace;
const call = { tool_suffix: "t", source_agent_id: "a", arguments: {} };

export const mistakes = [
  project.preview("pack_context", { tool_sufix: "t", source_agent_id: "a", arguments: {}, handover: {} }),
  project.packContext({ ...call, handover: { context_packing_confg: {} } }),
  project.call("pack_context", { ...call, handover: { context_packing_config: { inherit_context: { include_parnt: true } } } }),
  project.preview("pack_context", {
    ...call,
    handover: { context_packing_config: { inherit_context: { include_boxs_from_args: ["a"] } } },
  }),
  project.preview({ ...call, op: "pack_context", handover: { target_profile_config: { profile_nam: "Writer" } } }),
  project.delegateAsync({
    source_agent_id: "a",
    arguments: { target_strategy: "new", target_ref: "W", instruction: "x", context_box: "b" },
  }),
];
