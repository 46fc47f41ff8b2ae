// Sequences: rows to put into one store, and calls to make on it, in order. `xtask/src/conform/adaptors` translates
// the recorded cases to these.
import { items } from "../raw.mjs";
import { fields, objectText } from "../world.mjs";

const PUT = {
  card: (project, row) => project.addCard(row),
  box: (project, row) => project.addBox(row),
  row: (project, row, { table, version }) => project.addRow(table, row, version),
};

/** Returns the answers to the calls: `{value, writes, transitions}` or `{error}` each. */
export async function run({ inputText }, tuckbox) {
  const store = tuckbox.memoryStore();
  const answers = [];
  for (const actionText of items(inputText)) {
    const text = fields(actionText);
    const { put, project_id, table, version } = JSON.parse(actionText);
    if (put !== undefined) PUT[put](store.project(project_id), tuckbox.jsonText(text("row")), { table, version });
    else answers.push(await answer(store, text, tuckbox));
  }
  return [{ okText: `[${answers.join(",")}]` }];
}

async function answer(store, text, { jsonText, open }) {
  const env = {
    now: JSON.parse(text("now")),
    entropy: Uint8Array.from(JSON.parse(text("entropy")).match(/../g), (byte) => parseInt(byte, 16)),
  };
  try {
    const workspace = await open(store, { projectId: JSON.parse(text("project_id")), dialect: "v1r3", referenceBehavior: true });
    const preview = await workspace.preview(jsonText(text("call")), env);
    const transitions = JSON.stringify(preview.ledger.transitions);
    await preview.commit();
    return objectText({ value: preview.valueText, writes: preview.writesText, transitions });
  } catch (error) {
    if (typeof error?.code !== "string") throw error;
    const { code, path, message, details } = error;
    return objectText({ error: JSON.stringify({ code, path, message, details }) });
  }
}
