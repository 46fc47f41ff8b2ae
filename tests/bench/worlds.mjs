// The data of the benchmarks, the same for both sides.

export const BOXES = 100;

/** The limits of a project whose calls read 1,000,000 ids. */
export const MANY_IDS = { max_read_bytes: 64 << 20 };

/** Returns a card id in the format of a store. */
export function cardId(index) {
  const hex = index.toString(16).padStart(12, "0");
  return `0199c0de-7a1b-7c3d-8e4f-${hex}`;
}

/** Returns boxes in which each id is in two neighboring boxes, so half of the merged ids are duplicates. */
export function overlappingBoxes(total) {
  return boxes(total, 0.5);
}

/** Returns boxes without common ids. */
export function distinctBoxes(total) {
  return boxes(total, 1);
}

function boxes(total, stride) {
  const length = total / BOXES;
  return Array.from({ length: BOXES }, (_, box) => {
    const first = box * length * stride;
    return { box_id: `box_${box}`, card_ids: Array.from({ length }, (_, at) => cardId(first + at)), parent_ids: [], version: 1 };
  });
}

export const profile = { name: "Writer", profile_box_id: "pb_writer" };

/** A handover of an instruction and all boxes. */
export const packCall = {
  tool_suffix: "bench",
  source_agent_id: "agent_a",
  arguments: { profile_name: "writer", instruction: "go on", boxes: Array.from({ length: BOXES }, (_, box) => `box_${box}`) },
  handover: {
    context_packing_config: {
      pack_arguments: [{ arg_key: "instruction" }],
      inherit_context: { include_boxes_from_args: ["boxes"] },
    },
  },
};

/** A handover of common size: three boxes of ten cards with common cards, an instruction and a parent. */
export const small = {
  boxes: [0, 9, 18].map((first, box) => ({
    box_id: `box_${box}`,
    card_ids: Array.from({ length: 10 }, (_, at) => cardId(first + at)),
    parent_ids: [],
    version: 1,
  })),
  call: {
    tool_suffix: "bench",
    source_agent_id: "agent_a",
    arguments: { profile_name: "writer", instruction: "go on", boxes: ["box_0", "box_1", "box_2"] },
    handover: {
      context_packing_config: {
        pack_arguments: [{ arg_key: "instruction" }],
        inherit_context: { include_boxes_from_args: ["boxes"], include_parent: true },
      },
    },
  },
};

const WORDS = "the model reads what the box holds and the ledger says why every card is in it".split(" ");

function sentence(index, words) {
  return Array.from({ length: words }, (_, at) => WORDS[(index * 7 + at * 3) % WORDS.length]).join(" ");
}

/** Returns a conversation of questions, answers with calls, and results and notes as data. */
export function talk(count) {
  return Array.from({ length: count }, (_, index) => {
    return { card_id: cardId(index), ...turnOf(index) };
  });
}

function turnOf(index) {
  const call = `call_${index - (index % 4)}`;
  switch (index % 4) {
    case 0:
      return {
        content: { __type__: "TextContent", text: sentence(index, 60) },
        metadata: { role: "assistant" },
        tool_calls: [
          { id: call, type: "function", function: { name: "search", arguments: JSON.stringify({ query: sentence(index, 6) }) } },
        ],
      };
    case 1: {
      const hits = Array.from({ length: 5 }, (_, at) => ({
        title: sentence(index + at, 5),
        score: 0.25 * at,
        page: at,
        cached: at % 2 === 0,
      }));
      const result = { status: "success", after_execution: "suspend", result: { hits, total: 5 } };
      return { content: { __type__: "ToolResultContent", ...result }, metadata: { role: "tool" }, tool_call_id: `call_${index - 1}` };
    }
    case 2:
      return {
        content: { __type__: "JsonContent", data: { step: index, notes: [sentence(index, 12), null], done: true } },
        metadata: { role: "user" },
      };
    default:
      return { content: { __type__: "TextContent", text: sentence(index, 80) }, metadata: { role: "user" } };
  }
}
