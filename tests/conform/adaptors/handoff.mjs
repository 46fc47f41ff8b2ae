// `handoff`: the packages that the recorded models accept, and the locations of all errors.
import { env, outcome } from "../world.mjs";

export async function run({ inputText }, { jsonText, memoryStore, open }) {
  return [
    await outcome("", async () => {
      const workspace = await open(memoryStore(), { projectId: "p1" });
      return (await workspace.preview("read_handoff", jsonText(inputText), env)).valueText;
    }),
  ];
}
