// Reading: every key once, in order, as a row or as missing, and nothing of another project.
/** @import { Case } from "./trial.js" */
import { AT, append, boxAt, card, create, fresh, holds, remove, replace, same } from "./trial.js";

const EVERY_KIND = {
  profiles: ["nobody"],
  profiles_by_box: ["no box"],
  boxes: ["no box"],
  cards: ["no card"],
  agents: ["no agent"],
  files: ["no/file"],
  directories: ["no"],
};

/** @type {readonly Case[]} */
export const reads = [
  [
    "in a new project every key is missing",
    async ({ project }) => {
      const answers = await project.read(EVERY_KIND);
      for (const [kind, keys] of Object.entries(EVERY_KIND)) {
        same(answers[kind], [], kind);
        same(answers[`missing_${kind}`], keys, `missing_${kind}`);
      }
    },
  ],

  [
    "a read without keys has an empty answer",
    async ({ project }) => {
      const answers = await project.read({});
      for (const kind of Object.keys(EVERY_KIND)) same([answers[kind], answers[`missing_${kind}`]], [[], []], kind);
    },
  ],

  [
    "rows and missing keys are in the order of the request",
    async ({ project }) => {
      const ids = Array.from({ length: 20 }, () => fresh("c"));
      await project.commit({ cards: ids.map((card_id) => card({ card_id, text: card_id })) });
      const asked = [...ids].reverse().flatMap((id, index) => (index % 3 === 0 ? [id, `${id}_gone`] : [id]));
      const answers = await project.read({ cards: asked });
      same(
        answers.cards.map((row) => row.card_id),
        asked.filter((id) => !id.endsWith("_gone")),
        "cards",
      );
      same(
        answers.missing_cards,
        asked.filter((id) => id.endsWith("_gone")),
        "missing_cards",
      );
      same(answers.cards[0].content.text, asked[0], "the content of the first");
    },
  ],

  [
    "one batch reads all kinds",
    async ({ project }) => {
      const [box_id, one, agent_id] = [fresh("b"), card(), fresh("a")];
      await project.commit({
        cards: [one],
        boxes: [create(box_id, [one.card_id, one.card_id, "elsewhere"], { parent_ids: ["p1", "p2"] })],
        agents: [{ agent_id, in_roster: true }],
        files: [{ path: "notes/a.md", text: "a" }],
      });
      const answers = await project.read({
        boxes: [box_id, "none"],
        cards: [one.card_id],
        agents: [agent_id, "none"],
        files: ["notes/a.md"],
        directories: ["notes", "other"],
      });
      same(answers.boxes[0].card_ids, [one.card_id, one.card_id, "elsewhere"], "card_ids, one of them twice");
      same(answers.boxes[0].parent_ids, ["p1", "p2"], "parent_ids");
      same([answers.boxes[0].version, answers.boxes[0].deleted_at ?? null], [1, null], "version and deleted_at");
      same(answers.agents[0].agent_id, agent_id, "the agent");
      same(answers.files, [{ path: "notes/a.md", text: "a" }], "the file");
      same(answers.directories, [{ directory: "notes", paths: ["notes/a.md"] }], "the directory");
      same([answers.missing_boxes, answers.missing_agents, answers.missing_directories], [["none"], ["none"], ["other"]], "missing");
    },
  ],
];

/** @type {readonly Case[]} */
export const isolation = [
  [
    "a project cannot read data of another project",
    async ({ project, other }) => {
      const ids = { card: fresh("c"), box: fresh("b"), agent: fresh("a") };
      await project.commit({
        cards: [card({ card_id: ids.card })],
        boxes: [create(ids.box, [ids.card])],
        agents: [{ agent_id: ids.agent }],
        files: [{ path: "secret/a.md", text: "secret" }],
      });
      const keys = { boxes: [ids.box], cards: [ids.card], agents: [ids.agent], files: ["secret/a.md"], directories: ["secret"] };
      const answers = await other.read(keys);
      for (const [kind, asked] of Object.entries(keys)) {
        same(answers[kind], [], `${kind} of another project`);
        same(answers[`missing_${kind}`], asked, `missing_${kind}`);
      }
    },
  ],

  [
    "two projects can use the same ids",
    async ({ project, other }) => {
      const [card_id, box_id, agent_id, operation_id] = ["c", "b", "a", "op"].map(fresh);
      for (const [at, where] of [project, other].entries()) {
        const receipt = await where.commit({
          operation_id,
          cards: [card({ card_id, text: `card ${at}` })],
          boxes: [create(box_id, [card_id, `x${at}`])],
          agents: [{ agent_id, display_name: `agent ${at}` }],
          files: [{ path: "a/b", text: `file ${at}` }],
        });
        same(receipt.repeated, false, `repeated, in project ${at}`);
      }
      for (const [at, where] of [project, other].entries()) {
        const answers = await where.read({ cards: [card_id], boxes: [box_id], agents: [agent_id], files: ["a/b"] });
        same(answers.cards[0].content.text, `card ${at}`, "the card");
        same(answers.boxes[0].card_ids[1], `x${at}`, "the box");
        same(answers.agents[0].display_name, `agent ${at}`, "the agent");
        same(answers.files[0].text, `file ${at}`, "the file");
      }
    },
  ],

  [
    "a batch cannot change data of another project",
    async ({ project, other }) => {
      const [box_id, one] = [fresh("b"), card()];
      await project.commit({ cards: [one], boxes: [create(box_id, [one.card_id])] });
      await other.refuses({ boxes: [append(box_id, ["x"])] }, "an append to a box of another project");
      await other.refuses({ boxes: [replace(box_id, [], 1)] }, "a replace of a box of another project");
      await other.refuses({ boxes: [remove(box_id, 1)] }, "a delete of a box of another project");
      await other.refuses({ expects: [boxAt(box_id, 1)], cards: [card()] }, "an expectation of a box of another project");
      await other.commit({ delete_cards: [one.card_id], at: AT });
      const box = await project.box(box_id);
      same([box.card_ids, box.version, box.deleted_at ?? null], [[one.card_id], 1, null], "the box");
      const { cards } = await project.read({ cards: [one.card_id] });
      same(cards[0].deleted_at ?? null, null, "deleted_at of the card");
    },
  ],

  [
    "the id of a project is compared exactly",
    async ({ project, named }) => {
      const id = fresh("c");
      await project.commit({ cards: [card({ card_id: id })] });
      const near = [project.project_id.toUpperCase(), `${project.project_id} `, `${project.project_id}%`, "%", "' or '1'='1"];
      for (const project_id of near) {
        const { cards } = await named(project_id).read({ cards: [id] });
        holds(cards.length === 0, `project ${JSON.stringify(project_id)} sees a card of ${JSON.stringify(project.project_id)}`);
      }
    },
  ],
];
