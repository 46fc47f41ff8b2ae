// Committing: whole or not at all, once, and never over something that changed.
/** @import { Case } from "./trial.js" */
import { AT, append, boxAt, card, create, fresh, holds, remove, replace, same } from "./trial.js";

/** @type {readonly Case[]} */
export const atomicity = [
  [
    "a rejected batch writes nothing",
    async ({ project }) => {
      const [box_id, taken] = [fresh("b"), card()];
      await project.commit({ cards: [taken], boxes: [create(box_id, ["x"])], files: [{ path: "kept", text: "one" }] });
      /** @type {{ [what: string]: { expects?: object[], boxes?: object[], cards?: object[], files?: object[] } }} */
      const faults = {
        "a stale expectation": { expects: [boxAt(box_id, 9)] },
        "a stale append": { boxes: [append(box_id, ["y"], 9)] },
        "an append to nothing": { boxes: [append(fresh("none"), ["y"])] },
        "an existing box": { boxes: [create(box_id, ["y"])] },
        "a card with other content": { cards: [card({ card_id: taken.card_id, text: "other" })] },
        "a file with another text": { files: [{ path: "kept", text: "two" }] },
      };
      for (const [what, fault] of Object.entries(faults)) {
        const [made, box, agent_id] = [card(), fresh("b"), fresh("a")];
        const path = `new/${fresh("f")}`;
        await project.refuses(
          {
            expects: fault.expects,
            cards: [made, ...(fault.cards ?? [])],
            delete_cards: [taken.card_id],
            boxes: [create(box, [made.card_id]), append(box_id, ["z"]), ...(fault.boxes ?? [])],
            agents: [{ agent_id }],
            files: [{ path, text: "" }, ...(fault.files ?? [])],
          },
          what,
        );
        const answers = await project.read({
          cards: [made.card_id, taken.card_id],
          boxes: [box, box_id],
          agents: [agent_id],
          files: [path, "kept"],
          directories: ["new"],
        });
        same(
          [answers.missing_cards, answers.missing_boxes, answers.missing_agents, answers.missing_files, answers.missing_directories],
          [[made.card_id], [box], [agent_id], [path], ["new"]],
          `what is missing after ${what}`,
        );
        same([answers.boxes[0].card_ids, answers.boxes[0].version], [["x"], 1], `the box after ${what}`);
        same([answers.cards[0].deleted_at ?? null, answers.files[0].text], [null, "one"], `the card and the file after ${what}`);
      }
    },
  ],

  [
    "a rejected operation can be repeated",
    async ({ project }) => {
      const [box_id, operation_id] = [fresh("b"), fresh("op")];
      await project.refuses({ operation_id, boxes: [append(box_id, ["x"])] }, "an append to nothing");
      await project.commit({ boxes: [create(box_id, [])] });
      const receipt = await project.commit({ operation_id, boxes: [append(box_id, ["x"])] });
      same([receipt.repeated, receipt.boxes], [false, [{ box_id, version: 2 }]], "the receipt");
    },
  ],

  [
    "a canceled commit is stored as a whole or not at all, and can be repeated",
    async ({ project }) => {
      for (const wait of [undefined, 0, 1, 2, 4, 8]) {
        const [made, box_id, operation_id] = [card(), fresh("b"), fresh("op")];
        const batch = {
          operation_id,
          cards: [made],
          boxes: [create(box_id, [made.card_id])],
          files: [{ path: `given/${box_id}`, text: "x" }],
        };
        const gone = new AbortController();
        const sent = project.commit(batch, gone.signal).catch(() => {});
        if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
        gone.abort();
        await sent;
        const { cards, boxes, files } = await project.read({ cards: [made.card_id], boxes: [box_id], files: [`given/${box_id}`] });
        holds(
          cards.length === boxes.length && boxes.length === files.length,
          `${cards.length} cards, ${boxes.length} boxes, ${files.length} files after a batch of one each`,
        );
        const receipt = await project.commit(batch);
        same(receipt.boxes, [{ box_id, version: 1 }], "the receipt of the batch, sent again");
      }
    },
  ],
];

/** @type {readonly Case[]} */
export const versions = [
  [
    "each change increases the version, which the receipt contains",
    async ({ project }) => {
      const box_id = fresh("b");
      const steps = [
        [create(box_id, ["a"]), ["a"]],
        [append(box_id, ["b", "a"], 1), ["a", "b", "a"]],
        [append(box_id, ["c"]), ["a", "b", "a", "c"]],
        [replace(box_id, ["d"], 3), ["d"]],
        [append(box_id, [], 4), ["d"]],
      ];
      for (const [index, [change, card_ids]] of steps.entries()) {
        const receipt = await project.commit({ boxes: [change] });
        same(receipt.boxes, [{ box_id, version: index + 1 }], "the receipt");
        const box = await project.box(box_id);
        same([box.version, box.card_ids], [index + 1, card_ids], "the box");
      }
    },
  ],

  [
    "changes of a batch apply in order, to one box too",
    async ({ project }) => {
      const [one, two] = [fresh("b"), fresh("b")];
      const receipt = await project.commit({
        boxes: [create(one, ["a"]), append(one, ["b"], 1), create(two, ["x"]), replace(one, ["c"], 2), append(one, ["d"])],
      });
      same(
        receipt.boxes,
        [
          { box_id: one, version: 4 },
          { box_id: two, version: 1 },
        ],
        "the receipt",
      );
      same((await project.box(one)).card_ids, ["c", "d"], "the box");
      await project.refuses({ boxes: [append(two, ["y"], 1), append(two, ["z"], 1)] }, "a version that the batch itself has passed");
      same((await project.box(two)).card_ids, ["x"], "the other box");
    },
  ],

  [
    "a changed box is a conflict that reports the version found",
    async ({ project }) => {
      const box_id = fresh("b");
      await project.commit({ boxes: [create(box_id, ["a"])] });
      await project.commit({ boxes: [append(box_id, ["b"])] });
      for (const change of [append(box_id, ["c"], 1), replace(box_id, [], 1), remove(box_id, 1)]) {
        const { details } = await project.refuses({ boxes: [change] }, `${change.change} at an old version`);
        same(details, { box_id, expected: 1, found: 2 }, `the details of ${change.change}`);
      }
      const { details } = await project.refuses({ expects: [boxAt(box_id, 1)], cards: [card()] }, "an old expectation");
      same(details, { box_id, expected: 1, found: 2 }, "the details of an expectation");
      await project.commit({ expects: [boxAt(box_id, 2)], cards: [card()] });
    },
  ],

  [
    "an expected box must exist",
    async ({ project }) => {
      const box_id = fresh("b");
      const { details } = await project.refuses({ expects: [boxAt(box_id, 1)], cards: [card()] }, "a box that never was");
      same(details, { box_id, expected: 1, found: null }, "the details");
      await project.commit({ boxes: [create(box_id, [])] });
      await project.refuses({ expects: [boxAt(box_id, 0)], cards: [card()] }, "a version before the first");
    },
  ],

  [
    "a box id is used once, even after a delete",
    async ({ project }) => {
      const box_id = fresh("b");
      await project.commit({ boxes: [create(box_id, ["a"])] });
      await project.refuses({ boxes: [create(box_id, ["a"])] }, "the same box again");
      await project.refuses({ boxes: [create("twice", []), create("twice", [])] }, "one box twice in a batch");
      await project.commit({ boxes: [remove(box_id, 1)] });
      await project.refuses({ boxes: [create(box_id, ["a"])] }, "a box with the id of a deleted one");
    },
  ],
];

/** @type {readonly Case[]} */
export const deletion = [
  [
    "a deleted card stays readable, with the time of its deletion",
    async ({ project }) => {
      const [one, two] = [card(), card()];
      await project.commit({ cards: [one, two] });
      await project.commit({ delete_cards: [one.card_id, fresh("unknown")], at: "2026-02-01T00:00:00.000Z" });
      await project.commit({ delete_cards: [one.card_id], at: "2026-03-01T00:00:00.000Z" });
      const { cards } = await project.read({ cards: [one.card_id, two.card_id] });
      same(Date.parse(cards[0].deleted_at), Date.parse("2026-02-01T00:00:00.000Z"), "the time of the first delete");
      same([cards[0].content.text, cards[1].deleted_at ?? null], ["a text", null], "the cards");
      await project.commit({ cards: [one] });
      const again = await project.read({ cards: [one.card_id] });
      holds(again.cards[0].deleted_at !== null, "putting a deleted card again brought it back");
    },
  ],

  [
    "an erased card has no content, and no card gets its content back",
    async ({ project }) => {
      const one = card();
      await project.commit({ cards: [one] });
      await project.commit({ erase_cards: [one.card_id, fresh("unknown")], at: "2026-02-01T00:00:00.000Z" });
      await project.commit({ erase_cards: [one.card_id], at: "2026-03-01T00:00:00.000Z" });
      const { cards, missing = {} } = await project.read({ cards: [one.card_id] });
      same(Date.parse(cards[0].deleted_at), Date.parse("2026-02-01T00:00:00.000Z"), "the time of the erasure");
      same([cards[0].content.text, cards[0].metadata.erased, cards[0].metadata.author_id ?? null], ["", true, null], "the card");
      holds(!JSON.stringify([cards, missing]).includes("a text"), "the content is still there");
      await project.refuses({ cards: [one] }, "the content of an erased card");
    },
  ],

  [
    "a deleted box stays readable and cannot be changed",
    async ({ project }) => {
      const box_id = fresh("b");
      await project.commit({ boxes: [create(box_id, ["a"])] });
      const receipt = await project.commit({ boxes: [remove(box_id, 1)], at: AT });
      same(receipt.boxes, [{ box_id, version: 2 }], "the receipt");
      const box = await project.box(box_id);
      same([box.card_ids, box.version, Date.parse(box.deleted_at)], [["a"], 2, Date.parse(AT)], "the box");
      for (const change of [append(box_id, ["x"]), append(box_id, ["x"], 2), replace(box_id, [], 2), remove(box_id, 2)]) {
        const { details } = await project.refuses({ boxes: [change] }, `${change.change} on a deleted box`);
        same([details.box_id, details.found], [box_id, null], "the details");
      }
      await project.refuses({ expects: [boxAt(box_id, 2)], cards: [card()] }, "an expectation of a deleted box");
    },
  ],
];

/** @type {readonly Case[]} */
export const operations = [
  [
    "an operation applies once",
    async ({ project }) => {
      const [box_id, operation_id] = [fresh("b"), fresh("op")];
      await project.commit({ boxes: [create(box_id, [])] });
      const parts = { operation_id, cards: [card()], boxes: [append(box_id, ["x"])] };
      const first = await project.commit(parts);
      same([first.repeated, first.boxes], [false, [{ box_id, version: 2 }]], "the first receipt");
      await project.commit({ boxes: [append(box_id, ["y"])] });
      const second = await project.commit(parts);
      same([second.repeated, second.boxes], [true, first.boxes], "the second receipt");
      same((await project.box(box_id)).card_ids, ["x", "y"], "the box");
    },
  ],

  [
    "an operation id that was used for another batch is a conflict",
    async ({ project }) => {
      const [box_id, operation_id, late] = [fresh("b"), fresh("op"), card()];
      const first = { operation_id, boxes: [create(box_id, [])] };
      await project.commit(first);
      for (const other of [
        { cards: [late] },
        { boxes: [create(box_id, ["x"])] },
        { boxes: [create(box_id, [])], at: "2027-01-04T10:30:00.000Z" },
        { boxes: [create(box_id, [])], expects: [boxAt(box_id, 1)] },
      ]) {
        const { details } = await project.refuses({ operation_id, ...other }, "another batch under the same operation");
        same(details, { operation_id }, "the details");
      }
      same((await project.read({ cards: [late.card_id] })).missing_cards, [late.card_id], "a card of the second batch");
      const receipt = await project.commit(first);
      same([receipt.repeated, receipt.boxes], [true, [{ box_id, version: 1 }]], "the receipt of the first batch again");
    },
  ],

  [
    "an operation that is sent many times at once applies once",
    async ({ project }) => {
      const [box_id, operation_id, one] = [fresh("b"), fresh("op"), card()];
      await project.commit({ boxes: [create(box_id, [])] });
      const parts = { operation_id, cards: [one], boxes: [append(box_id, [one.card_id])] };
      const receipts = await Promise.all(Array.from({ length: 12 }, () => project.commit(parts)));
      same(receipts.filter((receipt) => !receipt.repeated).length, 1, "receipts of the first application");
      for (const { boxes } of receipts) same(boxes, [{ box_id, version: 2 }], "the versions in every receipt");
      same((await project.box(box_id)).card_ids, [one.card_id], "the box");
    },
  ],
];
