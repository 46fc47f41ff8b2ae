// A call as a shell command.

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns `npx tuckbox call ..` for a call, given as JSON text, on an exported project. */
export function commandOf(call: string, project_id: string, isCommit = false): string {
  const { op } = JSON.parse(call) as { op: string };
  return `npx tuckbox call ${op} - --store project.json --project ${quoted(project_id)}${isCommit ? " --commit" : ""} <<'END'\n${call}\nEND\n`;
}
