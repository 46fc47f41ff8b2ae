// The Python package with the part of the npm package's surface that the adaptors use. A program in Python answers
// one line of JSON for each line.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { JsonText, toText } from "../../pkg/lib/json.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Starts Python and returns the package, and a function that ends it. */
export function startPython(program) {
  const env = { ...process.env, PYTHONPATH: here("../../python"), PYTHONDONTWRITEBYTECODE: "1" };
  const child = spawn(program, [here("./python.py")], { stdio: ["pipe", "pipe", "inherit"], env });
  const waiting = [];
  child.on("exit", (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`Python ended with ${code}`));
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { error, ...answer } = JSON.parse(line);
    const { resolve, reject } = waiting.shift();
    if (error === undefined) resolve(answer);
    else reject(error);
  });
  const ask = (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  return { tuckbox: packageOf(ask), stop: () => child.stdin.end() };
}

/** Returns the text of a value, which can contain `jsonText`. */
const text = (value) => toText(value, "bad_request");

function packageOf(ask) {
  let made = 0;
  const name = () => (made += 1);

  function memoryStore() {
    const store = name();
    ask({ do: "store", store });
    return { store, project: (project_id) => projectOf(store, project_id) };
  }

  function projectOf(store, project_id) {
    const add = (table) => (row, version) => {
      // a failure is the error of the next request, which needs the row
      ask({ do: "row", store, project_id, table, row: text(row), version: version ?? null }).catch((error) => console.error(error));
      return project;
    };
    const project = {
      addRow: (table, row, version) => add(table)(row, version),
      addProfile: add("project_profiles"),
      addAgent: add("project_agents"),
      addBox: add("boxes"),
      addCard: add("cards"),
      addFile: add("files"),
    };
    return project;
  }

  async function open({ store }, { projectId: project_id, dialect, authority, referenceBehavior: reference_behavior }) {
    const workspace = name();
    const settings = { project_id, dialect, authority, reference_behavior };
    await ask({
      do: "open",
      store,
      workspace,
      settings: Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, value ?? null])),
    });
    return { preview: (...given) => previewOf(workspace, ...given) };
  }

  async function previewOf(workspace, first, second, third) {
    const isNamed = typeof first === "string";
    const preview = name();
    const { now, entropy } = isNamed ? third : second;
    const request = {
      op: isNamed ? first : null,
      args: text(isNamed ? second : first),
      now,
      entropy: Buffer.from(entropy).toString("hex"),
    };
    const answer = await ask({ do: "preview", workspace, preview, ...request });
    return {
      valueText: answer.value,
      writesText: answer.writes,
      value: JSON.parse(answer.value),
      writes: JSON.parse(answer.writes),
      ledger: {
        transitions: JSON.parse(answer.transitions),
        boxes: JSON.parse(answer.boxes).map((entries) => ({ entries: () => entries })),
      },
      commit: () => ask({ do: "commit", preview }),
    };
  }

  async function importStream(sources) {
    const files = [];
    for (const { name, size, chunks } of sources) {
      files.push({ name, size, chunks: Array.from(chunks, (chunk) => Buffer.from(chunk).toString("base64")) });
    }
    const { value } = await ask({ do: "import", files });
    return { text: value };
  }

  return { memoryStore, open, importStream, jsonText: (given) => new JsonText(given) };
}
