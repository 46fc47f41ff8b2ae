// Heavy calls on cards, boxes and handovers.
import { cardId } from "../worlds.mjs";
import { large, list, nested, people, standing, stored, task, text } from "./parts.mjs";

const packing = { context_packing_config: { inherit_context: { include_boxes_from_args: ["boxes"] } } };
const inherits = (names) => ({ context_packing_config: { inherit_context: { include_boxes_from_args: names } } });
const handing = (instruction) => ({
  op: "preview_handover",
  args: {
    call: { op: "pack_context_with_instruction", source_agent_id: "lead", profile_name: "Writer", instruction, inherit_box_ids: ["b"] },
  },
});

export const cards = {
  "a string of 8 MB": () => ({ op: "put_cards", args: { cards: [text("c", "x".repeat(8_000_000))] } }),
  "strings just below the limit of a card": () => ({
    op: "put_cards",
    args: { cards: list(8, (at) => text(`c${at}`, "漢".repeat(330_000))) },
  }),
  "40,000 small cards": () => ({ op: "put_cards", args: { cards: list(40_000, (at) => text(`c${at}`, "x")) } }),
  "27,000 small cards (the limit)": () => ({ op: "put_cards", args: { cards: list(27_000, (at) => text(`c${at}`, "x")) } }),
  "27,000 cards of 300 bytes": () => ({ op: "put_cards", args: { cards: list(27_000, (at) => text(`c${at}`, "x".repeat(160))) } }),
  "8 MB of brackets": () => ({ op: "text_form", whole: `{"value": ${nested(4_000_000)}}` }),
  "lists of lists at the depth limit": () => ({
    op: "put_cards",
    args: { cards: list(2_200, (at) => ({ ...text(`c${at}`), content: { __type__: "JsonContent", data: JSON.parse(nested(100)) } })) },
  }),
  "long doubles": () => ({ op: "text_form", args: { value: list(249_000, (at) => `0.${"1234567890123456"}${at}`).map(Number) } }),
  "doubles with thousands of digits": () => ({
    op: "text_form",
    whole: `{"value": [${list(4_000, () => `1.${"7".repeat(1900)}e-300`).join(",")}]}`,
  }),
  "450,000 keys": () => ({ op: "text_form", args: { value: Object.fromEntries(list(450_000, (at) => [`k${at}`, at])) } }),
  "249,000 keys (the limit)": () => ({
    op: "text_form",
    args: { value: Object.fromEntries(list(249_000, (at) => [`key ${at} ${"x".repeat(10)}`, at])) },
  }),
  escapes: () => ({ op: "text_form", whole: `{"value": "${"\\u00e9\\ud83d\\ude00".repeat(440_000)}"}` }),
  "a box of 200,000 ids": () => ({ op: "create_box", args: { box_id: "b", card_ids: list(200_000, cardId) } }),
  "the same box of 200,000 cards, 100 times": () => ({
    rows: { ...people, boxes: [large] },
    op: "pack_context",
    args: {
      tool_suffix: "t",
      source_agent_id: "lead",
      arguments: { profile_name: "Writer", boxes: list(100, () => "large") },
      handover: packing,
    },
  }),
  "500,000 missing boxes": () => ({ op: "get_boxes", args: { box_ids: list(500_000, (at) => `b${at}`) } }),
  "a fork over a box of 200,000 cards": () => ({
    rows: { ...people, boxes: [large] },
    op: "fork_join",
    args: { source_agent_id: "lead", tool_suffix: "t", max_tasks: 60_000, arguments: { tasks: list(60_000, (at) => task(at, "large")) } },
  }),
  "a fork of 10,000": () => ({
    rows: { ...people, boxes: [{ ...large, card_ids: list(150, cardId) }] },
    op: "fork_join",
    args: { source_agent_id: "lead", tool_suffix: "t", max_tasks: 10_000, arguments: { tasks: list(10_000, (at) => task(at, "large")) } },
  }),
  "a fork of 1,000 (the limit)": () => ({
    rows: { ...people, boxes: [{ ...large, card_ids: list(150, cardId) }] },
    op: "fork_join",
    args: { source_agent_id: "lead", tool_suffix: "t", max_tasks: 1_000, arguments: { tasks: list(1_000, (at) => task(at, "large")) } },
  }),
  "16,000 boxes merged into one": () => ({
    rows: { boxes: list(16_000, (at) => ({ box_id: `b${at}`, card_ids: [`c${at}`] })) },
    op: "concat_boxes",
    args: { box_ids: list(16_000, (at) => `b${at}`) },
  }),
  "a search in 8 MB": () => ({
    rows: { cards: list(8, (at) => text(`c${at}`, "aab".repeat(330_000))), boxes: [{ box_id: "b", card_ids: list(8, (at) => `c${at}`) }] },
    op: "search_cards",
    args: { box_ids: ["b"], text: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab" },
  }),
  "a box of 200,000 cards in 100,000 arguments": () => ({
    rows: { ...people, boxes: [large] },
    op: "pack_context",
    args: {
      tool_suffix: "t",
      source_agent_id: "lead",
      arguments: { profile_name: "Writer", boxes: ["large"] },
      handover: inherits(list(100_000, () => "boxes")),
    },
  }),
  "400 small boxes in 100,000 arguments": () => ({
    rows: { ...people, boxes: [{ box_id: "b", card_ids: ["c"] }] },
    op: "pack_context",
    args: {
      tool_suffix: "t",
      source_agent_id: "lead",
      arguments: { profile_name: "Writer", boxes: list(400, () => "b") },
      handover: inherits(list(100_000, () => "boxes")),
    },
  }),
  "an argument with a name of 3 MB": () => ({
    rows: people,
    op: "pack_context",
    args: {
      tool_suffix: "t",
      source_agent_id: "lead",
      arguments: { profile_name: "Writer", ["k".repeat(3_000_000)]: list(25_000, () => []) },
      handover: inherits(["k".repeat(3_000_000)]),
    },
  }),
  "a box of 200,000 cards, 200,000 times": () => ({
    rows: { boxes: [large] },
    op: "concat_boxes",
    args: { box_ids: list(200_000, () => "large") },
  }),
  "100 cards of 1 MB": () => ({
    rows: {
      cards: list(100, (at) => text(`c${at}`, "x".repeat(1_000_000))),
      boxes: [{ box_id: "b", card_ids: list(100, (at) => `c${at}`) }],
    },
    op: "get_box_cards",
    args: { box_id: "b" },
  }),
  "a search for a string of 500 kB": () => ({
    rows: { cards: list(8, (at) => text(`c${at}`, "a".repeat(1_000_000))), boxes: [{ box_id: "b", card_ids: list(8, (at) => `c${at}`) }] },
    op: "inspect",
    args: { box_id: "b", find: `${"a".repeat(500_000)}b` },
  }),
  "a box with 100,000 parents": () => ({
    op: "read_box",
    args: { box: { box_id: "b", card_ids: [], parent_ids: list(100_000, (at) => `p${at}`) } },
  }),
  "a recipe with 40,000 arguments": () => ({
    op: "check_recipe",
    args: {
      recipe: {
        name: "r",
        arguments: list(40_000, (at) => ({ name: `a${at}`, type: "text" })),
        handover: { target_profile_config: { profile_name: "Writer" } },
      },
    },
  }),
  "a handover of 25,000 missing cards": () => ({
    rows: {
      ...people,
      cards: list(25_000, (at) => text(`c${at}`, "x")),
      boxes: [{ box_id: "b", card_ids: list(50_000, (at) => `c${at}`) }],
    },
    op: "preview_handover",
    args: {
      call: {
        op: "pack_context_with_instruction",
        source_agent_id: "lead",
        profile_name: "Writer",
        instruction: "x",
        inherit_box_ids: ["b"],
      },
    },
  }),
  "100,000 passwords without a value": () => ({
    rows: people,
    op: "preview_handover",
    args: {
      call: {
        op: "pack_context_with_instruction",
        source_agent_id: "lead",
        profile_name: "Writer",
        instruction: "password=".repeat(100_000),
        inherit_box_ids: [],
      },
    },
  }),
  "1,000 rows with a card of 900 kB": () => ({
    rows: standing(text("c", "y ".repeat(450_000))),
    op: "inspect",
    args: { box_id: "b", to: 1_000 },
  }),
  "a search in a card of 900 kB, 25,000 times": () => ({
    rows: standing(text("c", "y".repeat(900_000))),
    op: "inspect",
    args: { box_id: "b", find: "yyyyyyyyyyyyyyyyyyyyx" },
  }),
  "a handover of 100 cards of 300 kB": () => ({ rows: { ...people, ...stored(100, 300_000) }, ...handing("word ".repeat(60)) }),
  "a handover of 25,000 cards of 200 bytes": () => ({ rows: { ...people, ...stored(25_000, 200) }, ...handing("word ".repeat(30)) }),
  "59,000 stored cards": () => ({ rows: stored(59_000, 100), op: "get_box_cards", args: { box_id: "b" } }),
  "30 stored cards of 250,000 numbers": () => ({
    rows: {
      cards: list(30, (at) => ({ ...text(`c${at}`), content: { __type__: "JsonContent", data: list(250_000, () => 1) } })),
      boxes: [{ box_id: "b", card_ids: list(30, (at) => `c${at}`) }],
    },
    op: "get_box_cards",
    args: { box_id: "b" },
  }),
  "a pack of 59,000 missing cards": () => ({
    rows: { ...people, boxes: [{ ...large, card_ids: list(59_000, cardId) }] },
    op: "pack_context",
    args: {
      tool_suffix: "t",
      source_agent_id: "lead",
      check_liveness: true,
      arguments: { profile_name: "Writer", boxes: ["large"] },
      handover: packing,
    },
  }),
  "a search in 33 boxes of 25,000 cards": () => ({
    rows: { boxes: list(33, (at) => ({ box_id: `b${at}`, card_ids: list(25_000, (nth) => `c${nth}`) })) },
    op: "search_cards",
    args: { box_ids: list(33, (at) => `b${at}`), text: "a" },
  }),
  "a handover of 240,000 invalid rules": () => ({
    rows: people,
    op: "pack_context",
    args: {
      tool_suffix: "t",
      source_agent_id: "lead",
      arguments: { profile_name: "Writer" },
      handover: { context_packing_config: { pack_arguments: list(240_000, (at) => at) } },
    },
  }),
  "a handover of 25,000 invalid rules": () => ({
    rows: people,
    op: "pack_context",
    args: {
      tool_suffix: "t",
      source_agent_id: "lead",
      arguments: { profile_name: "Writer" },
      handover: { context_packing_config: { pack_arguments: list(25_000, (at) => at) } },
    },
  }),
};
