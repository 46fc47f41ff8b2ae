// Stored values: JSON with every digit, ids with every character, and the rules of each kind of row.
/** @import { Case } from "./trial.js" */
import { card, compact, create, fresh, millis, same } from "./trial.js";

/** Values in the canonical form that the core writes: it must come back byte for byte. */
const EXACT = {
  "integers of any size": "[0,-1,9007199254740993,123456789012345678901234567890,100000000000000000000]",
  "decimals with all their digits": "[0.1,1.0,1.10,-0.5,0.0000001,3.14159265358979323846264338327950288]",
  "keys in order, shorter ones first": '{"":0,"2":1,"a":2,"b":3,"10":4,"aa":5,"é":6,"__proto__":{"x":7},"constructor":8}',
  "text of every kind": JSON.stringify([
    '"\\\b\f\n\r\t/',
    "\u0001\u007f\u0085\u2028\u2029\ufeff\uffff",
    "é e\u0301 ﬁ ñ 漢字 👩‍👩‍👧 \u{10FFFF}",
    "",
    " ",
  ]),
  "empty lists and objects": '{"a":[],"b":{},"c":[[],{}]}',
  "deep nesting": `${"[".repeat(100)}${"]".repeat(100)}`,
};

/** Ids that differ only slightly, and ids that break incorrect quoting. */
const ODD = [
  "a",
  "A",
  "a ",
  " a",
  "é",
  "e\u0301",
  "ﬁ",
  "fi",
  "ß",
  "SS",
  "İ",
  "漢字",
  "👩‍👩‍👧",
  "\u{1F600}",
  "\uffff",
  "%",
  "_",
  "a%",
  "\\",
  "'",
  '"',
  "''",
  '"; drop table cards; --',
  "a/b",
  "a\\b",
  "a\nb",
  "a\tb",
  "null",
  "true",
  "0",
  "00",
  "-1",
  "1e3",
  "__proto__",
  "constructor",
  "toString",
  "{}",
  "[]",
  "$1",
  "?",
  ":a",
  "x".repeat(300),
];

/** @type {readonly Case[]} */
export const json = [
  [
    "content is returned byte for byte",
    async ({ project }) => {
      const cards = Object.entries(EXACT).map(([what, data]) => ({ what, data, row: card({ data }) }));
      await project.commit({ cards: cards.map(({ row }) => row) });
      for (const { what, data, row } of cards) {
        const { content } = await project.card(row.card_id);
        same(compact(content), `{"data":${data},"__type__":"JsonContent"}`, what);
      }
    },
  ],

  [
    "metadata, tool calls and lifetimes are returned unchanged",
    async ({ project }) => {
      const metadata = { id: 123456789012345678901n, created_at: "2026-01-04T10:30:00.000Z", project_id: project.project_id };
      const row = card({
        metadata,
        tool_calls: [{ id: "t1", function: { name: "f", arguments: "{}" } }],
        tool_call_id: "t0",
        ttl_seconds: 90,
        expires_at: "2026-01-04T10:31:30.123Z",
      });
      await project.commit({ cards: [row] });
      const { cards } = await project.read({ cards: [row.card_id] });
      same(cards[0].metadata, { role: "user", type: "task.instruction", ...metadata }, "metadata");
      same([cards[0].tool_calls, cards[0].tool_call_id, cards[0].ttl_seconds], [row.tool_calls, "t0", 90], "tool calls and lifetime");
      same(millis(cards[0].expires_at), millis(String(row.expires_at)), "expires_at");
      const [tenant] = [cards[0].tenant_id ?? project.project_id];
      same(tenant, project.project_id, "tenant_id");
    },
  ],

  [
    "a card with the same values in another spelling is the same card",
    async ({ project }) => {
      const row = card({ data: '{"n":1.50,"list":[1,2]}', metadata: { created_at: "2026-01-04T10:30:00.000Z" } });
      await project.commit({ cards: [row] });
      await project.commit({ cards: [row, row] });
      const later = { created_at: "2027-01-04T10:30:00.000Z" };
      await project.commit({ cards: [card({ card_id: row.card_id, data: '{ "list": [1, 2e0], "n": 15e-1 }', metadata: later })] });
      const { metadata } = await project.card(row.card_id);
      same(JSON.parse(metadata).created_at, "2026-01-04T10:30:00.000Z", "when it was made");
    },
  ],

  [
    "a card is immutable to the last digit",
    async ({ project }) => {
      const row = card({ data: "[123456789012345678901234567890,0.10000000000000000000001]" });
      await project.commit({ cards: [row] });
      const others = {
        "an integer that differs in the last digit": { data: "[123456789012345678901234567891,0.10000000000000000000001]" },
        "a decimal that differs in the last digit": { data: "[123456789012345678901234567890,0.10000000000000000000002]" },
        "other metadata": { data: "[123456789012345678901234567890,0.10000000000000000000001]", metadata: { role: "system" } },
        "a tool call": { data: "[123456789012345678901234567890,0.10000000000000000000001]", tool_call_id: "t" },
        "a lifetime": { data: "[123456789012345678901234567890,0.10000000000000000000001]", ttl_seconds: 5 },
      };
      for (const [what, other] of Object.entries(others)) {
        const { details } = await project.refuses({ cards: [card({ card_id: row.card_id, ...other })] }, what);
        same(details, { card_id: row.card_id }, `the details for ${what}`);
      }
    },
  ],

  [
    "ids are stored exactly",
    async ({ project }) => {
      await project.commit({
        cards: ODD.map((card_id) => card({ card_id, text: card_id })),
        boxes: ODD.map((box_id) => create(box_id, [box_id, ...ODD])),
        agents: ODD.map((agent_id) => ({ agent_id, display_name: agent_id })),
      });
      const answers = await project.read({ cards: ODD, boxes: ODD, agents: ODD });
      same(
        answers.cards.map((row) => [row.card_id, row.content.text]),
        ODD.map((id) => [id, id]),
        "cards",
      );
      same(
        answers.boxes.map((row) => [row.box_id, row.card_ids]),
        ODD.map((id) => [id, [id, ...ODD]]),
        "boxes",
      );
      same(
        answers.agents.map((row) => [row.agent_id, row.display_name]),
        ODD.map((id) => [id, id]),
        "agents",
      );
      for (const operation_id of ODD)
        same((await project.commit({ operation_id, agents: [{ agent_id: "a" }] })).repeated, false, operation_id);
    },
  ],

  [
    "a key that cannot exist is missing",
    async ({ project }) => {
      const keys = ["\u0000", "a\u0000b"];
      const answers = await project.read({ cards: [...keys, "x"], boxes: keys, agents: keys, files: keys, directories: keys });
      same(answers.missing_cards, [...keys, "x"], "missing_cards");
      same(
        [answers.missing_boxes, answers.missing_agents, answers.missing_files, answers.missing_directories],
        [keys, keys, keys, keys],
        "the others",
      );
    },
  ],
];

/** @type {readonly Case[]} */
export const kinds = [
  [
    "an agent is replaced as a whole",
    async ({ project }) => {
      const agent_id = fresh("a");
      const first = {
        agent_id,
        in_roster: true,
        profile_box_id: "pb",
        display_name: "Ann",
        tags: ["x", "y"],
        worker_target: "w",
        state: { status: "running", profile_box_id: null, context_box_id: "c", output_box_id: "o" },
        pointers: { last_output_box_id: "l", memory_context_box_id: null },
      };
      await project.commit({ agents: [first] });
      same((await project.read({ agents: [agent_id] })).agents.map(plainAgent), [first], "the agent");
      const second = { ...first, in_roster: false, display_name: null, tags: [], state: null, pointers: null };
      await project.commit({ agents: [first, second] });
      same((await project.read({ agents: [agent_id] })).agents.map(plainAgent), [second], "the agent");
    },
  ],

  [
    "a file is immutable",
    async ({ project }) => {
      const text = "one\r\ntwo\u2028 \u{1F600}\n";
      await project.commit({ files: [{ path: "a/b.md", text }] });
      await project.commit({ files: [{ path: "a/b.md", text }] });
      const { details } = await project.refuses({ files: [{ path: "a/b.md", text: `${text} ` }] }, "another text");
      same(details, { path: "a/b.md" }, "the details");
      same((await project.read({ files: ["a/b.md", "a/B.md"] })).files, [{ path: "a/b.md", text }], "the file");
    },
  ],

  [
    "a directory lists its files at any depth",
    async ({ project }) => {
      const paths = ["a/1", "a/b/c/2", "a b/3", "a%/4", "ab/5", "a0", "A/6", "a/\u{1f30a}", "a/\uffee", "a/é", "a/b", "x_y/7", "xzy/8"];
      await project.commit({ files: paths.map((path) => ({ path, text: path })) });
      const { directories, missing_directories } = await project.read({ directories: ["a", "a/b", "a%", "x_y", "a/1", "b", "A"] });
      same(
        directories,
        [
          { directory: "a", paths: ["a/1", "a/b", "a/b/c/2", "a/é", "a/\uffee", "a/\u{1f30a}"] },
          { directory: "a/b", paths: ["a/b/c/2"] },
          { directory: "a%", paths: ["a%/4"] },
          { directory: "x_y", paths: ["x_y/7"] },
          { directory: "A", paths: ["A/6"] },
        ],
        "directories",
      );
      same(missing_directories, ["a/1", "b"], "missing_directories");
    },
  ],
];

/** @type {readonly Case[]} */
export const profiles = [
  [
    "a profile is found by its name, ignoring case",
    async ({ project, other }) => {
      const row = {
        name: "Écrivain Ω",
        profile_box_id: "pb_1",
        tags: ["a"],
        worker_target: "w",
        delegation_policy: { targets: [9007199254740993n] },
      };
      await project.addProfiles([row, { name: "Bare" }, { name: "AΣ" }]);
      const { profiles: found, missing_profiles } = await project.read({ profiles: ["éCRIVAIN ω", "bare", "aς", "Nobody"] });
      same(
        found.map((profile) => profile.name),
        ["Écrivain Ω", "Bare", "AΣ"],
        "names",
      );
      same(found[0], row, "the profile");
      same([found[1].profile_box_id ?? null, found[1].tags ?? []], [null, []], "a bare profile");
      same(missing_profiles, ["Nobody"], "missing_profiles");
      same((await other.read({ profiles: ["bare"] })).missing_profiles, ["bare"], "a profile of another project");
    },
  ],

  [
    "a profile is found by its box",
    async ({ project, other }) => {
      await project.addProfiles([{ name: "One", profile_box_id: "pb_1" }, { name: "Two", profile_box_id: "pb_2" }, { name: "None" }]);
      await other.addProfiles([{ name: "Three", profile_box_id: "pb_3" }]);
      const keys = ["pb_2", "pb_3", "pb_1", "PB_1", "null"];
      const { profiles_by_box, missing_profiles_by_box } = await project.read({ profiles_by_box: keys });
      same(
        profiles_by_box.map((row) => [row.name, row.profile_box_id]),
        [
          ["Two", "pb_2"],
          ["One", "pb_1"],
        ],
        "profiles",
      );
      same(missing_profiles_by_box, ["pb_3", "PB_1", "null"], "missing_profiles_by_box");
      await project.addProfiles([{ name: "one", profile_box_id: "pb_4" }]);
      const moved = await project.read({ profiles_by_box: ["pb_1", "pb_4"] });
      same([moved.missing_profiles_by_box, moved.profiles_by_box.map((row) => row.name)], [["pb_1"], ["one"]], "a profile that moved");
    },
  ],

  [
    "a profile that is registered again is replaced as a whole",
    async ({ project }) => {
      await project.addProfiles([{ name: "Writer", profile_box_id: "pb_1", tags: ["old"] }]);
      await project.addProfiles([{ name: "WRITER", profile_box_id: "pb_2" }]);
      const { profiles: found } = await project.read({ profiles: ["writer"] });
      same(
        found.map((row) => [row.name, row.profile_box_id, row.tags ?? []]),
        [["WRITER", "pb_2", []]],
        "the profile",
      );
    },
  ],
];

/**
 * Returns an agent without the columns that a store can add.
 *
 * @param {any} agent
 */
function plainAgent({ tenant_id: _, ...row }) {
  return row;
}
