// The GitHub action: runs `tuckbox lock check`, annotates, writes the job summary, and comments once.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Marks the comment of this action, so that it is found again. */
const MARK = "<!-- tuckbox-lock -->";
const STATUS = ["same", "changed"];
const {
  LOCK_COMMAND = "npx --no-install tuckbox",
  LOCK_COMMENT = "true",
  LOCK_TOKEN = "",
  LOCK_FAIL_ON_CHANGE = "true",
  GITHUB_API_URL = "https://api.github.com",
  GITHUB_EVENT_PATH,
  GITHUB_OUTPUT,
  GITHUB_REPOSITORY = "",
  GITHUB_STEP_SUMMARY,
} = process.env;

/** Runs the check. Returns its exit code and the report in Markdown. */
function check() {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-lock-"));
  const file = join(folder, "report.md");
  try {
    const [program, ...args] = LOCK_COMMAND.split(" ");
    const { LOCK_TOKEN: _, ...env } = process.env;
    const run = spawnSync(program, [...args, "lock", "check", "--reporter", "annotations", "--reporter", `markdown=${file}`], {
      encoding: "utf8",
      stdio: ["ignore", "inherit", "pipe"],
      shell: process.platform === "win32",
      env,
    });
    process.stderr.write(run.stderr ?? "");
    const code = run.status ?? 2;
    return { code, report: readReport(file) ?? `### Context: not decided\n\n\`\`\`text\n${plain(run.stderr || String(run.error))}\n\`\`\`\n` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns text that cannot end a block of code. */
const plain = (text) => text.replaceAll("`", "'").slice(0, 4000).trim();

/** Calls the API of GitHub. */
async function api(method, path, body) {
  const response = await fetch(`${GITHUB_API_URL}${path}`, {
    method,
    headers: { accept: "application/vnd.github+json", authorization: `Bearer ${LOCK_TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

/** Creates the comment of a pull request, or updates it. Without changes it only updates one that exists. */
async function comment(number, code, report) {
  const issue = `/repos/${GITHUB_REPOSITORY}/issues`;
  let found;
  for (let page = 1; found === undefined && page <= 10; page += 1) {
    const list = await api("GET", `${issue}/${number}/comments?per_page=100&page=${page}`);
    found = list.find(({ body }) => body?.startsWith(MARK));
    if (list.length < 100) break;
  }
  const body = `${MARK}\n${report}`;
  if (found === undefined && code !== 0) await api("POST", `${issue}/${number}/comments`, { body });
  else if (found !== undefined && found.body !== body) await api("PATCH", `${issue}/comments/${found.id}`, { body });
}

function pullRequest() {
  const event = GITHUB_EVENT_PATH === undefined ? {} : JSON.parse(readFileSync(GITHUB_EVENT_PATH, "utf8"));
  return event.pull_request?.number;
}

const { code, report } = check();
if (GITHUB_OUTPUT !== undefined) appendFileSync(GITHUB_OUTPUT, `status=${STATUS[code] ?? "undecided"}\n`);
if (code !== 0 && GITHUB_STEP_SUMMARY !== undefined) appendFileSync(GITHUB_STEP_SUMMARY, `${report}\n`);
const number = pullRequest();
if (LOCK_COMMENT === "true" && LOCK_TOKEN !== "" && number !== undefined) {
  // the token of a fork cannot write: the summary has the report
  await comment(number, code, report).catch((error) => console.log(`no comment: ${error.message}`));
}
process.exitCode = code === 1 && LOCK_FAIL_ON_CHANGE !== "true" ? 0 : code;
