// A small project for the tests.
import { memoryStore, open } from "../../pkg/index.js";

/** Creates a store with one profile and two boxes, and a workspace on it. */
export async function project(options = {}) {
  const store = filled();
  return { store, workspace: await open(store, { projectId: "p1", ...options }) };
}

export function filled() {
  const store = memoryStore();
  store
    .project("p1")
    .addProfile({ name: "Writer", profile_box_id: "pb_writer" })
    .addBox({ box_id: "b1", card_ids: ["c1", "c2", "c1"] })
    .addProfile({ name: "Lead", profile_box_id: "pb_lead", delegation_policy: { target_profiles: ["Writer"] } })
    .addAgent({ agent_id: "agent_a", profile_box_id: "pb_lead", pointers: { last_output_box_id: "b2" } })
    .addBox({ box_id: "b2", card_ids: ["c3"] });
  return store;
}

/** Returns the arguments of a handover of an instruction and the cards of `b1`. */
export function packCall(args = {}) {
  return {
    tool_suffix: "demo",
    source_agent_id: "agent_a",
    arguments: { profile_name: "writer", instruction: "go on", input_box_ids: ["b1"], ...args },
    handover: {
      context_packing_config: {
        pack_arguments: [{ arg_key: "instruction" }],
        inherit_context: { include_boxes_from_args: ["input_box_ids"], include_parent: true },
      },
    },
  };
}
