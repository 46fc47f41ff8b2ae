// `lock`: the lockfile of contexts, and the verdict on edited contexts.
import { items, members } from "../raw.mjs";
import { env, fields, objectText, outcome } from "../world.mjs";

export async function run({ inputText }, { jsonText, memoryStore, open }) {
  const input = Object.fromEntries(members(inputText));
  const workspace = await open(memoryStore(), { projectId: "p1" });
  const answer = async (op, callText) => (await workspace.preview(op, jsonText(callText), env)).valueText;
  const entries = async (contexts) => {
    const made = [];
    for (const context of items(contexts)) made.push(await answer("lock_entry", context));
    return `[${made.join(",")}]`;
  };
  const lock = async () => fields(await answer("lock_update", objectText({ entries: await entries(input.contexts) })))("lock");
  return [
    await outcome("lock", lock),
    await outcome("verdict", async () => {
      const check = Object.fromEntries(members(input.check ?? "{}"));
      return answer("lock_check", objectText({ ...check, lock: await lock(), entries: await entries(input.edited) }));
    }),
  ];
}
