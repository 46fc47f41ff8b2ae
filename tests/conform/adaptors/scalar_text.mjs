// `scalar_text`: the text form of values, and their JSON text for a model.
import { env, fields, objectText, outcome } from "../world.mjs";

export async function run({ inputText }, { jsonText, memoryStore, open }) {
  return [
    await outcome("", async () => {
      const workspace = await open(memoryStore(), { projectId: "p1" });
      const value = jsonText(fields(inputText)("value"));
      const form = fields((await workspace.preview("text_form", { value }, env)).valueText);
      return objectText({ python_str: form("text"), python_json_dumps: form("json") });
    }),
  ];
}
