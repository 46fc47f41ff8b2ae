// `tuckbox init`: a new project in TypeScript that runs without a key.
/** @import { Command } from "./usage.js" */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { version } from "../version.js";
import { line } from "./paint.js";
import { UsageError } from "./usage.js";

/** @type {Command} */
export const INIT = {
  summary: "Write a new project: a team of agents in TypeScript, with a model that needs no key",
  usage: "[FOLDER]",
  about: "FOLDER is the current one by default. It must be empty or new. The command asks nothing and installs nothing.",
  examples: ["tuckbox init", "tuckbox init my-team"],
  async run(session, [folder = "."]) {
    const path = resolve(session.cwd, folder);
    await mkdir(path, { recursive: true });
    const there = (await readdir(path)).filter((name) => !name.startsWith(".") && name !== "node_modules" && !name.startsWith("package"));
    if (there.length > 0) throw new UsageError(`the folder \`${line(folder)}\` is not empty: it has \`${line(there[0])}\``);
    const files = filesOf(basename(path));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(path, name, ".."), { recursive: true });
      await writeFile(join(path, name), text);
    }
    const place = relative(session.cwd, path);
    const value = { folder: path, files: Object.keys(files) };
    const steps = [...(place === "" ? [] : [`cd ${line(place)}`]), "npm install", "npm start", "npm run look"];
    return { value, view: () => [`wrote ${value.files.join(", ")}`, "", ...steps.map((step) => `  ${step}`)] };
  },
};

/**
 * Returns the files of a new project.
 *
 * @param {string} folder
 * @returns {{ [name: string]: string }}
 */
function filesOf(folder) {
  const name =
    folder
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-")
      .replace(/^-+|-+$/g, "") || "team";
  const manifest = {
    name,
    private: true,
    type: "module",
    scripts: { start: "tsc && node dist/main.js", look: "tuckbox ui project.json" },
    dependencies: { tuckbox: `^${version}` },
    devDependencies: { typescript: ">=5.9" },
  };
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "DOM", "ESNext.Disposable"],
    types: [],
    strict: true,
    rootDir: "src",
    outDir: "dist",
  };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify({ compilerOptions, include: ["src"] }, null, 2)}\n`,
    ".gitignore": "node_modules\ndist\nproject.json\n",
    "src/main.ts": MAIN,
  };
}

const MAIN = `// A lead asks two writers at once, and answers when both have written.
import { open } from "tuckbox";
import { engine } from "tuckbox/engine";
import { fileStore } from "tuckbox/stores/file";
import { recipe, submitResult, worker } from "tuckbox/worker";

// every card, box and turn is in this file; \`npm run look\` shows it
const team = engine({ open, store: fileStore("project.json"), projectId: "demo" });

const llm_config = { provider: "openai_chat", model: "any" };
await team.profile({ name: "Writer", system_prompt: "You write one sentence.", llm_config });
await team.profile({ name: "Lead", system_prompt: "You delegate.", llm_config, delegation_policy: { target_profiles: ["Writer"] } });
await team.provision({ agent_id: "lead", profile: "Lead" });

const call = (name: string, args: object) => ({ text: "", tool_calls: [{ function: { name, arguments: JSON.stringify(args) } }] });
const task = (instruction: string) => ({ target_strategy: "new", target_ref: "Writer", instruction });

const crew = worker({
  engine: team,
  // A model that needs no key. For a real one, replace this function with:
  //   model: ({ body }) => fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).then((answer) => answer.json()),
  model({ body }, { profile, step_count }) {
    if (profile?.name === "Writer") return \`Written after \${JSON.stringify(body).length} characters.\`;
    if (step_count === 0) return call("fork_join", { tasks: ["Write about tides.", "Write about winds."].map(task) });
    return call("submit_result", { summary: "done", output: "Both writers have answered." });
  },
  tools: { fork_join: recipe("fork_join"), submit_result: submitResult() },
});

await Promise.all([team.start(), crew.start()]);
const turn = await team.dispatch({ agent_id: "lead", instruction: "Tell me about the sea." });
const { status, fields } = await team.result(turn);
console.log(status, fields.output);
await Promise.all([crew.close(), team.close()]);
`;
