// Heavy requests for each route, and for each kind of read and write of a store. `fill` are the batches that the project
// has before the request.
import { cardId } from "../worlds.mjs";
import { list, text } from "./parts.mjs";

const at = "2026-01-04T10:30:00.000Z";
/** The maximum number of keys of one request. */
const IDS = 10_000;

const card = (card_id, words) => ({ ...text(card_id, words), tenant_id: "p1" });
const create = (box_id, card_ids) => ({ change: "create", box: { box_id, card_ids, parent_ids: [], version: 1, deleted_at: null } });
const head = (count) =>
  list(count, (nth) => ({
    table: "heads",
    key: [`a${nth}`],
    row: { agent_id: `a${nth}`, status: "idle", turn_epoch: 1, active_agent_turn_id: `t${nth}`, output_box_id: "b" },
  }));
const message = (count) =>
  list(count, (nth) => ({
    table: "inbox",
    key: [`i${nth}`],
    row: {
      inbox_id: `i${nth}`,
      agent_id: `a${nth % 100}`,
      message_type: "turn",
      status: "queued",
      payload: { nth },
      created_at: at,
      seq: nth,
    },
  }));
const keys = (count) => list(count, (nth) => ({ table: "heads", key: [`a${nth}`] }));
const follows = (sources, to) => sources.map((from) => ({ from, to }));

const get = (name, path) => ({ name, method: "GET", path });
const post = (name, path, body) => ({ name, method: "POST", path, body });
const read = (reads) => post("storeRead", "/store/read", { project_id: "p1", ...reads });
const commit = (writes) => post("storeCommit", "/store/commit", { project_id: "p1", operation_id: "measured", at, ...writes });
const filled = list(10, (group) => ({
  cards: list(2_500, (nth) => card(`c${group * 2_500 + nth}`, "word ".repeat(140))),
}));
const large = [{ boxes: [create("b", list(200_000, cardId))] }];

/** @type {Record<string, () => { fill?: object[], route: ReturnType<typeof post> | ReturnType<typeof get> }>} */
export const routes = {
  "GET a box of 200,000 ids": () => ({ fill: large, route: get("getBox", "/boxes/b") }),
  "GET the cards of a box of 25,000": () => ({
    fill: [
      ...filled,
      {
        boxes: [
          create(
            "b",
            list(25_000, (nth) => `c${nth}`),
          ),
        ],
      },
    ],
    route: get("getBoxCards", "/boxes/b/cards"),
  }),
  "GET a card of 1 MB": () => ({ fill: [{ cards: [card("c", "x".repeat(1_000_000))] }], route: get("getCard", "/cards/c") }),
  "10,000 boxes": () => ({
    fill: list(10, (group) => ({ boxes: list(1_000, (nth) => create(`b${group * 1_000 + nth}`, list(20, cardId))) })),
    route: post("getBoxes", "/boxes/batch", { box_ids: list(IDS, (nth) => `b${nth}`) }),
  }),
  "10,000 cards": () => ({ fill: filled, route: post("getCards", "/cards/batch", { card_ids: list(IDS, (nth) => `c${nth}`) }) }),
  "a preview of a merge of 200,000 ids": () => ({
    fill: large,
    route: post("preview", "/operations/concat_boxes/preview?entries=true", { box_ids: ["b"] }),
  }),
  "a commit of 27,000 cards": () => ({
    route: post("commit", "/operations/put_cards/commit", { cards: list(27_000, (nth) => text(`c${nth}`, "x".repeat(160))) }),
  }),
  "a commit of a box of 200,000 ids": () => ({
    route: post("commit", "/operations/create_box/commit", { box_id: "b", card_ids: list(200_000, cardId) }),
  }),

  "a read of 10,000 cards": () => ({ fill: filled, route: read({ cards: list(IDS, (nth) => `c${nth}`) }) }),
  "a read of a box of 200,000 ids": () => ({ fill: large, route: read({ boxes: ["b"] }) }),
  "a read of 10,000 missing boxes, names and agents": () => ({
    route: read({
      boxes: list(2_500, (nth) => `b${nth}`),
      profiles: list(2_500, (nth) => `Name ${nth}`),
      profiles_by_box: list(2_500, (nth) => `pb${nth}`),
      agents: list(2_500, (nth) => `a${nth}`),
    }),
  }),
  "a read of 1,000 names among 10,000 profiles": () => ({
    fill: list(10, (group) => ({
      rows: list(1_000, (nth) => {
        const name = `name ${group * 1_000 + nth}`;
        return { table: "project_profiles", key: [name], row: { name, profile_box_id: `pb${group * 1_000 + nth}`, worker_target: "w" } };
      }),
    })),
    route: read({
      profiles: list(1_000, (nth) => `NAME ${nth * 10}`),
      profiles_by_box: list(1_000, (nth) => `pb${nth * 10}`),
    }),
  }),
  "a read of files and folders": () => ({
    fill: list(10, (group) => ({
      files: list(1_000, (nth) => ({ path: `d${group}/e${nth % 100}/f${nth}`, text: "x".repeat(500) })),
    })),
    route: read({
      files: list(5_000, (nth) => `d${Math.floor(nth / 1_000)}/e${nth % 100}/f${nth % 1_000}`),
      directories: list(1_000, (nth) => `d${nth % 10}/e${Math.floor(nth / 10)}`),
    }),
  }),
  "a read of 10,000 rows": () => ({ fill: [{ rows: head(10_000) }], route: read({ rows: keys(IDS) }) }),
  "a read of 10,000 rows, each followed nowhere": () => ({
    fill: [{ rows: head(5_000) }],
    route: read({ rows: keys(5_000), follow: follows(keys(5_000), []) }),
  }),
  "a read of 5,000 rows and their box of 200,000 ids": () => ({
    fill: [...large, { rows: head(5_000) }],
    route: read({ rows: keys(5_000), follow: follows(keys(5_000), [{ box: { column: "output_box_id" } }]) }),
  }),
  "a read of 3,000 rows and their lists": () => ({
    fill: [{ rows: head(3_000) }, { rows: message(10_000) }],
    route: read({
      rows: keys(3_000),
      follow: follows(keys(3_000), [{ table: "inbox", index: "by_agent", of: [{ column: "agent_id" }, "queued"], limit: 100 }]),
    }),
  }),
  "a read of 10,000 lists with their own limits": () => ({
    fill: [{ rows: message(10_000) }],
    route: read({
      lists: list(IDS, (nth) => ({ table: "inbox", index: "by_agent", of: [`a${nth}`, "queued"], limit: nth + 1 })),
    }),
  }),
  "a read of 400 lists of 100 rows with their own limits": () => ({
    fill: [{ rows: message(10_000) }],
    route: read({
      lists: list(400, (nth) => ({
        table: "inbox",
        index: "by_agent",
        of: [`a${nth % 100}`, "queued"],
        limit: 100_000 + nth,
        skip_locked: true,
      })),
    }),
  }),
  "a read of 10,000 operations": () => ({
    fill: list(50, () => ({})),
    route: read({ operations: list(IDS, (nth) => `fill_${nth}`) }),
  }),

  "a store commit of 8 MB in 27,000 cards": () => ({
    route: commit({ cards: list(27_000, (nth) => card(`c${nth}`, "x".repeat(80))) }),
  }),
  "a store commit of one card, 8,000 times": () => ({
    route: commit({ cards: list(8_000, () => card("c", "x".repeat(800))) }),
  }),
  "a store commit of one card with 8,000 contents": () => ({
    route: commit({ cards: list(8_000, (nth) => card("c", `${nth} ${"x".repeat(790)}`)) }),
  }),
  "a store commit of a box of 200,000 ids": () => ({ route: commit({ boxes: [create("b", list(200_000, cardId))] }) }),
  "a store commit of 20,000 boxes": () => ({ route: commit({ boxes: list(20_000, (nth) => create(`b${nth}`, [cardId(nth)])) }) }),
  "a store commit of 5,000 appends to one box": () => ({
    fill: [{ boxes: [create("b", list(20_000, cardId))] }],
    route: commit({ boxes: list(5_000, (nth) => ({ change: "append", box_id: "b", card_ids: [`c${nth}`] })) }),
  }),
  "a store commit of 20,000 agents": () => ({
    route: commit({ agents: list(20_000, (nth) => ({ agent_id: `a${nth}`, display_name: "x".repeat(100), state: { status: "idle" } })) }),
  }),
  "a store commit of 20,000 files": () => ({
    route: commit({ files: list(20_000, (nth) => ({ path: `d/e${nth % 100}/f${nth}`, text: "x".repeat(300) })) }),
  }),
  "a store commit of 20,000 rows": () => ({ route: commit({ rows: head(20_000) }) }),
  "a store commit with 60,000 expectations": () => ({
    route: commit({ expects: list(60_000, (nth) => ({ table: "heads", key: [`a${nth}`], version: null })) }),
  }),
  "a store commit that deletes 10,000 cards and erases 10,000": () => ({
    fill: filled,
    route: commit({ delete_cards: list(IDS, (nth) => `c${nth}`), erase_cards: list(IDS, (nth) => `c${IDS + nth}`) }),
  }),
};
