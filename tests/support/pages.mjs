// The examples of all pages, as programs. A section is a whole program, or a part of one: then `PARTS` has the code
// before and after it. Every block of JavaScript and TypeScript of a page is compiled and run.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The pages with examples. Pages of the reference are generated, or have no programs. */
export const PAGES = [
  "README.md",
  "pkg/README.md",
  "docs/concepts.md",
  "docs/scale.md",
  ...readdirSync(`${root}docs/how-to`).map((page) => `docs/how-to/${page}`),
];

/** The sections whose examples are whole programs. */
export const PROGRAMS = [
  ["README.md", "Quick start"],
  ["README.md", "Run agents"],
  ["docs/how-to/bring-your-own.md", "Timeline"],
  ["docs/how-to/cards-to-request.md", "From cards to a provider's request"],
  ["docs/how-to/conversations.md", "Chat"],
  ["docs/how-to/conversations.md", "Without an engine"],
  ["docs/how-to/define-a-recipe.md", "Define a recipe"],
  ["docs/how-to/delegate.md", "In JavaScript"],
  ["docs/how-to/explain-the-cache.md", "Find out why the cache missed"],
  ["docs/how-to/fit-a-budget.md", "Fit a prompt into a token budget"],
  ["docs/how-to/fit-a-budget.md", "Models and prices"],
  ["docs/how-to/hand-off-files.md", "Hand off files instead of text"],
  ["docs/how-to/memory.md", "Store a conversation"],
  ["pkg/README.md", "Quick start"],
  ["pkg/README.md", "Delegate work"],
  ["pkg/README.md", "Layers and memory"],
  ["pkg/README.md", "Requests to providers"],
];

const MEMORY = 'import { memoryStore, open } from "tuckbox";\n';

/** A team whose agent `lead` answers, and has the conversation `chat_1`. */
const TEAM = `${MEMORY}import { engine } from "tuckbox/engine";
import { worker } from "tuckbox/worker";

const store = memoryStore();
const team = engine({ open, store, projectId: "demo" });
await team.profile({ name: "Clerk", system_prompt: "You answer.", llm_config: { provider: "openai_chat", model: "any" } });
await team.provision({ agent_id: "clerk", profile: "Clerk" });
const crew = worker({ engine: team, model: ({ body }) => \`Answer to \${body.messages.at(-1).content}\` });
await Promise.all([team.start(), crew.start()]);
const say = async (instruction, conversation) =>
  (await team.result(await team.dispatch({ agent_id: "clerk", instruction, conversation }))).fields.output;
for (const question of ["One?", "Two?", "Three?"]) await say(question, "chat_1");
`;

const CLOSE = "await Promise.all([crew.close(), team.close()]);\n";

/** An agent `ann` with a context and an output box, and a receiver. */
const ANN = `${MEMORY}
const store = memoryStore();
store
  .project("demo")
  .addProfile({ name: "Writer", profile_box_id: "pb_writer" })
  .addCard({ card_id: "n1", type: "task.instruction", author_id: "me", metadata: { role: "user" }, content: { __type__: "TextContent", text: "Draft it." } })
  .addBox({ box_id: "pb_writer", card_ids: [] })
  .addBox({ box_id: "notes", card_ids: ["n1"] })
  .addAgent({ agent_id: "ann", profile_box_id: "pb_writer", state: { status: "running", context_box_id: "notes" } });
const project = await open(store, { projectId: "demo" });
`;

/**
 * The sections whose examples are parts of a program.
 *
 * - `before` and `after` are the code around them, `prints` is what the program prints, one line each.
 * - `files` are further files of the program, and `replace` has words that are other ones on a machine of tests.
 * - `each` is true if every block is a program of its own.
 * - `runs` names the test that runs the section, or the same calls, where it needs more than Node.
 */
export const PARTS = {
  "pkg/README.md": {
    "Write a store": { runs: "tests/stores/readme.test.mjs" },
    "Delegation on PostgreSQL": { runs: "tests/stores/readme.test.mjs" },
    "Run agents": { runs: "tests/engine/readme.test.mjs" },
    Stores: {
      before: "const connectionString = process.env.DATABASE_URL;\n",
      runs: "tests/stores/readme.test.mjs",
    },
    "Over HTTP": {
      before: `import { createServer } from "node:http";
import { memoryStore } from "tuckbox";

const store = memoryStore();
store.project("demo").addBox({ box_id: "notes", card_ids: [] });
const userOf = async (request) => (request.headers.get("authorization") === "Bearer me" ? { may: (action, projectId) => projectId === "demo" } : undefined);
`,
      after: `for (const user of ["me", "you"]) {
  const headers = { authorization: \`Bearer \${user}\` };
  console.log((await handler(new Request("http://localhost/projects/demo/boxes/notes", { headers }))).status);
}
process.exit();
`,
      replace: [".listen(8080)", ".listen(0)"],
      prints: ["200", "403"],
    },
    DevTools: { before: `${ANN}`, after: "stop();\n", prints: [] },
  },
  "docs/how-to/add-a-store.md": {
    "In JavaScript": { before: 'import { memoryStore } from "tuckbox";\n\nconst myStore = () => memoryStore();\n', prints: /fail 0\n/ },
  },
  "docs/how-to/adopt.md": {
    Look: {
      after: `const { choices } = await client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content: "How is the weather in Oslo?" }] });
console.log(choices[0].finish_reason);
await new Promise((resolve) => setTimeout(resolve, 1));
`,
      libraries: true,
      prints: ["tool_calls"],
    },
    Assemble: { with: "Look", after: "console.log(typeof assembling.chat);\n", libraries: true, prints: ["object"] },
    "AI SDK": { with: "Look", after: "console.log(model.modelId);\n", libraries: true, prints: ["openai/gpt-5"] },
    // these are compiled and run with the frameworks
    "LangChain and LangGraph": {
      with: "Look",
      before: `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({ model: "gpt-5" });
const tools = [] as never[];
`,
      after: `const { messages } = await agent.invoke({ messages: [{ role: "user", content: "How is the weather in Oslo?" }] });
console.log(messages.length);
`,
      libraries: true,
      isFramework: true,
      prints: ["2"],
    },
    "OpenAI Agents": {
      with: "Look",
      before: `import { Agent, setOpenAIAPI, setTracingDisabled, tool } from "@openai/agents";
import { z } from "zod";

setOpenAIAPI("chat_completions");
setTracingDisabled(true);
const weather = tool({ name: "weather", description: "Returns the weather.", parameters: z.object({ city: z.string() }), execute: async () => "rain" });
const agent = new Agent({ name: "a", instructions: "Be brief.", model: "gpt-5", tools: [weather] });
`,
      after: 'console.log((await tuckboxSession(project, "chat_1").getItems()).length);\n',
      libraries: true,
      isFramework: true,
      prints: ["5"],
    },
    Mastra: {
      with: "Look",
      before: `import { createOpenAI } from "@ai-sdk/openai";

const instructions = "Be brief.";
// the types of this version of the framework differ from those of the library
const model = createOpenAI().chat("gpt-5") as never;
`,
      after: 'console.log((await agent.generate("How is the weather in Oslo?")).steps.length);\n',
      libraries: true,
      isFramework: true,
      prints: ["2"],
    },
  },
  "docs/how-to/bring-your-own.md": {
    "Record requests": {
      after: `await client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content: "How is the weather in Oslo?" }] });
const { readFileSync, existsSync } = await import("node:fs");
while (!existsSync("requests.jsonl") || !readFileSync("requests.jsonl", "utf8").endsWith("\\n")) await new Promise((resolve) => setTimeout(resolve, 5));
console.log(readFileSync("requests.jsonl", "utf8").trim().split("\\n").length);
`,
      libraries: true,
      prints: ["1"],
    },
  },
  "docs/how-to/choose-a-form.md": {
    "Run it in JavaScript": {
      runs: "tests/component/component.test.mjs",
      before: "/** @type {any} */ const { steps, store } = globalThis;\n",
    },
  },
  "docs/how-to/conversations.md": {
    Fork: { before: TEAM, after: `console.log(await say("And then?", box_id));\n${CLOSE}`, prints: ["Answer to And then?"] },
    "Stream to a user interface": {
      before: `${TEAM}
const turn = await team.dispatch({ agent_id: "clerk", instruction: "Four?", conversation: "chat_1" });
const after = undefined;
const show = (text) => console.log(text);
const finish = ({ fields }) => console.log(fields.output);
{
`,
      after: `}\n${CLOSE}`,
      inside: "const store = (position, card) => console.log(position, card.content.__type__);\n",
      prints: ["1 TextContent", "2 JsonContent", "Answer to Four?"],
    },
  },
  "docs/how-to/explain-the-cache.md": {
    "Boxes, turns and previews": {
      before: `${ANN}
const args = { tool_suffix: "delegate", source_agent_id: "ann", profile_name: "Writer", instruction: "Draft it.", inherit_box_ids: ["notes"] };
`,
      after: "console.log(requests.length);\n",
      prints: ["2"],
    },
  },
  "docs/how-to/lock-the-context.md": {
    Config: {
      files: { "src/prompts.js": 'export const body = (content) => ({ model: "any", messages: [{ role: "user", content }] });\n' },
      prints: [],
    },
    "In tests": {
      runs: "tests/node/lock_runners.test.mjs",
      each: true,
      before: "/** @type {any} */ const { project, turn, model, body, expect, payload, answer, client, OtherClient } = globalThis;\n",
    },
  },
  "docs/how-to/run-agents.md": {
    "A worker": {
      before: `${TEAM}
const project = await open(store, { projectId: "demo" });
const [{ view_id: step_id }] = (await project.agents.listTurnViews({ agent_id: "clerk" })).rows;
`,
      after: 'console.log(/** @type {any} */ (payload.body).messages.length);\nprocess.kill(process.pid, "SIGTERM");\n',
      prints: ["2"],
    },
    "Engine and worker": {
      before: `import { memoryStore } from "tuckbox";

const store = memoryStore();
const askModel = async ({ messages }, signal) => \`Found: \${messages.at(-1).content} \${signal.aborted}\`;
`,
      inside: `{
  const llm_config = { provider: "openai_chat", model: "any" };
  const first = engine({ open, store, projectId: "demo" });
  await first.profile({ name: "Lead", system_prompt: "You lead.", llm_config });
  await first.provision({ agent_id: "lead", profile: "Lead" });
  await first.close();
}
`,
      after: `console.log(status, fields.output, error);\n${CLOSE}`,
      prints: ["success Found: Find out. false undefined"],
    },
  },
  "docs/how-to/use-the-inspector.md": {
    "In your own page": { runs: "tests/apps/pages.test.mjs" },
    "In DevTools": { before: ANN, prints: [] },
  },
  "docs/scale.md": {
    "Many databases": {
      before: "const pool = { query: async () => ({ rows: [] }) };\nconst [eastPool, westPool] = [pool, pool];\n",
      after: "console.log(typeof project.payload, typeof team.dispatch);\nprocess.exit();\n",
      prints: ["function function"],
    },
  },
};

/** The page whose examples continue its first one. `tests/node/clients.test.mjs` runs them. */
export const CALLS = "docs/how-to/call-a-provider.md";

/** Returns the sections of a page: their names and texts. The first one has the name of the page. */
export function sectionsOf(text) {
  return text.split(/^(?=## )/m).map((section) => ({ name: /^##? (.*)/m.exec(section)?.[1], text: section }));
}

/** Returns what an example prints: the block of text after it, or the text after `// → ` of each line that prints. */
function promised(text, code) {
  const output = [...text.matchAll(/^```text\n(.*?)^```$/gms)].flatMap(([, block]) => block.trimEnd().split("\n"));
  if (output.length > 0) return output;
  return code
    .split("\n")
    .flatMap((line) => (line.includes("console.log") && line.includes("// → ") ? [line.split("// → ")[1].trim()] : []));
}

/** Returns the blocks of a section in JavaScript or TypeScript. */
function blocksOf(text) {
  return [...text.matchAll(/^```(js|ts|jsx)(?: ignore)?\n(.*?)^```$/gms)].map(([, language, code]) => ({ language, code }));
}

/**
 * Returns the examples of all pages as programs: page, section, language, the code as a program, the lines that it
 * prints, and the part.
 */
export function examples() {
  return PAGES.flatMap((page) => {
    const sections = sectionsOf(readFileSync(`${root}${page}`, "utf8")).map(({ name, text }) => ({ name, text, blocks: blocksOf(text) }));
    const codeOf = (wanted) =>
      sections
        .find(({ name }) => name === wanted)
        ?.blocks.map(({ code }) => code)
        .join("\n") ?? "";
    return sections.flatMap(({ name, text, blocks }) => {
      if (blocks.length === 0) return [];
      const part = PARTS[page]?.[name];
      const isProgram = PROGRAMS.some(([manual, section]) => manual === page && section === name);
      const first = page === CALLS && sections[0].name !== name ? sections[0].blocks[0].code : "";
      const { before = "", inside = "", after = "", with: earlier } = part ?? {};
      const programs = part?.each === true ? blocks.map((block) => [block]) : byLanguage(blocks);
      return programs.map((program) => {
        const code = program.map((block) => block.code).join("\n");
        const given = `${first}${earlier === undefined ? "" : codeOf(earlier)}${before}`;
        // a whole program runs as written
        const whole = isProgram ? code : merged(given, inside, `${code}\n${after}`);
        return {
          page,
          section: name,
          language: program[0].language,
          code: whole,
          part,
          isProgram,
          prints: part?.prints ?? promised(text, code),
        };
      });
    });
  });
}

/** Returns the blocks of each language. */
function byLanguage(blocks) {
  const languages = new Set(blocks.map(({ language }) => language));
  return Array.from(languages, (wanted) => blocks.filter(({ language }) => language === wanted));
}

/** Returns the lines of a page for a shell, without comments. */
export function shellOf(page) {
  const text = readFileSync(`${root}${page}`, "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block.split("\n"));
  return blocks.map((line) => line.replace(/ +# .*$/, "")).filter((line) => line !== "");
}

/** Returns one program: imports first, and a binding that two parts import only once. */
function merged(before, inside, code) {
  const imports = /^import .*;$/gm;
  const lines = new Map();
  for (const line of [...before.matchAll(imports), ...code.matchAll(imports)].map(([found]) => found)) {
    const [, names, from] = /^import (?:type )?\{ (.*) \} (from ".*";)$/.exec(line) ?? [];
    if (names === undefined || line.startsWith("import type")) lines.set(line, line);
    else lines.set(from, new Set([...(lines.get(from) ?? []), ...names.split(", ")]));
  }
  const head = Array.from(lines, ([from, names]) => (typeof names === "string" ? names : `import { ${[...names].join(", ")} } ${from}`));
  return `${head.join("\n")}\n${before.replace(imports, "")}${inside}${code.replace(imports, "")}`.replace(/\n{3,}/g, "\n\n");
}
