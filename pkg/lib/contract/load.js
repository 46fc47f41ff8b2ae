// Many rows at once, and many writers at once.
/** @import { Case } from "./trial.js" */
import { append, card, create, fresh, holds, same } from "./trial.js";

/** @type {readonly Case[]} */
export const load = [
  [
    "a large batch is atomic",
    async ({ project, sizes }) => {
      const box_id = fresh("b");
      const cards = Array.from({ length: sizes.cards }, (_, index) => card({ card_id: fresh("c"), text: `card ${index}` }));
      const ids = cards.map((row) => row.card_id);
      const many = Array.from({ length: sizes.cardIds }, (_, index) => ids[index % ids.length] ?? "");
      await project.commit({ cards, boxes: [create(box_id, many)] });
      same((await project.box(box_id)).card_ids.length, many.length, "cards of the box");
      const asked = [...ids].reverse();
      const answers = await project.read({ cards: [...asked, "none"], boxes: [box_id] });
      same(
        answers.cards.map((row) => row.card_id),
        asked,
        "cards in the order asked",
      );
      same(answers.missing_cards, ["none"], "missing_cards");
      same(answers.boxes[0].card_ids, many, "the box");
      const more = [fresh("c")];
      await project.commit({ boxes: [append(box_id, more, 1)] });
      same((await project.box(box_id)).card_ids.slice(-2), [many.at(-1), more[0]], "the end of the box");
    },
  ],

  [
    "a long text is returned unchanged",
    async ({ project, sizes }) => {
      const text = "a 漢 \u{1F600}\n".repeat(Math.ceil(sizes.text / 7));
      const row = card({ text });
      await project.commit({ cards: [row], files: [{ path: "long", text }] });
      const answers = await project.read({ cards: [row.card_id], files: ["long"] });
      holds(answers.cards[0].content.text === text, "the text of the card changed");
      holds(answers.files[0].text === text, "the text of the file changed");
    },
  ],
];

/** @type {readonly Case[]} */
export const concurrency = [
  [
    "appends to any version are all stored, once each",
    async ({ project }) => {
      const box_id = fresh("b");
      await project.commit({ boxes: [create(box_id, [])] });
      const writers = await Promise.all(
        [1, 2, 3, 4].map(async (writer) => {
          const receipts = [];
          for (let step = 0; step < 10; step += 1) {
            const row = card({ card_id: `${box_id}_${writer}_${step}` });
            receipts.push(await project.commit({ cards: [row], boxes: [append(box_id, [row.card_id])] }));
          }
          return receipts;
        }),
      );
      const seen = writers.flat().map((receipt) => receipt.boxes[0].version);
      same(
        [...seen].sort((a, b) => a - b),
        Array.from({ length: 40 }, (_, index) => index + 2),
        "versions, each once",
      );
      const { card_ids, version } = await project.box(box_id);
      same([card_ids.length, new Set(card_ids).size, version], [40, 40, 41], "the box");
      for (const [index, receipts] of writers.entries()) {
        const own = card_ids.filter((/** @type {string} */ id) => id.startsWith(`${box_id}_${index + 1}_`));
        same(
          own,
          receipts.map((_, step) => `${box_id}_${index + 1}_${step}`),
          `the order of writer ${index + 1}`,
        );
        same(
          receipts.map((receipt, step) => card_ids[receipt.boxes[0].version - 2] === own[step]),
          receipts.map(() => true),
          "each at its version",
        );
      }
    },
  ],

  [
    "one of many writers of the same version wins",
    async ({ project }) => {
      const box_id = fresh("b");
      await project.commit({ boxes: [create(box_id, [])] });
      const tries = await Promise.allSettled(
        Array.from({ length: 8 }, (_, writer) => {
          return project.commit({ cards: [card({ card_id: `${box_id}_${writer}` })], boxes: [append(box_id, [`${box_id}_${writer}`], 1)] });
        }),
      );
      const won = tries.flatMap((attempt, writer) => (attempt.status === "fulfilled" ? [`${box_id}_${writer}`] : []));
      same(won.length, 1, "writers that won");
      for (const attempt of tries) if (attempt.status === "rejected") same(attempt.reason.code, "conflict", "the others");
      const { card_ids, version } = await project.box(box_id);
      same([card_ids, version], [won, 2], "the box");
      const ids = tries.map((_, writer) => `${box_id}_${writer}`);
      same(
        (await project.read({ cards: ids })).cards.map((row) => row.card_id),
        won,
        "existing cards",
      );
    },
  ],

  [
    "one of many creators of the same box or file wins",
    async ({ project }) => {
      const [box_id, path] = [fresh("b"), fresh("f")];
      const boxes = await Promise.allSettled([1, 2, 3, 4, 5].map((writer) => project.commit({ boxes: [create(box_id, [`x${writer}`])] })));
      same(boxes.filter(({ status }) => status === "fulfilled").length, 1, "boxes made");
      const files = await Promise.allSettled([1, 2, 3, 4, 5].map((writer) => project.commit({ files: [{ path, text: `x${writer}` }] })));
      same(files.filter(({ status }) => status === "fulfilled").length, 1, "files made");
      for (const attempt of [...boxes, ...files]) if (attempt.status === "rejected") same(attempt.reason.code, "conflict", "the others");
    },
  ],

  [
    "batches that change the same boxes in different orders all finish",
    async ({ project }) => {
      const ids = [fresh("b"), fresh("b"), fresh("b")];
      await project.commit({ boxes: ids.map((box_id) => create(box_id, [])) });
      await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const order = [0, 1, 2].map((step) => ids[index % 2 === 0 ? step : 2 - step]);
          const shared = ids.map((id) => card({ card_id: `${id}_shared` }));
          return project.commit({
            cards: index % 2 === 0 ? shared : shared.reverse(),
            boxes: order.map((box_id) => append(box_id, [`x${index}`])),
          });
        }),
      );
      for (const box_id of ids) same((await project.box(box_id)).card_ids.length, 12, "cards of a box");
    },
  ],
];
