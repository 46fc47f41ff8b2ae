// `render`: cards as messages.
import { env, fields, objectText, outcome } from "../world.mjs";

export async function run({ inputText }, { jsonText, memoryStore, open }) {
  return [
    await outcome("", async () => {
      const workspace = await open(memoryStore(), { projectId: "p1" });
      const rendered = fields((await workspace.preview("render", jsonText(inputText), env)).valueText);
      const tools = rendered("tools") === "null" ? {} : { tools: rendered("tools") };
      const request = objectText({ messages: rendered("messages"), ...tools });
      return objectText({ request, source_card_ids: rendered("source_card_ids") });
    }),
  ];
}
