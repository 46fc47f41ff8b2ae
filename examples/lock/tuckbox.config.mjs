// The config of the sample project: `npx tuckbox lock check` in this folder.
import { contexts, shared } from "./contexts.mjs";

// a failing pull request: `EDIT=1 npx tuckbox lock check`
const edited = { ...shared, prompts: { ...shared.prompts, writer: `${shared.prompts.writer} Avoid the passive voice.` } };

export default {
  lock: {
    entries: contexts(process.env.EDIT === "1" ? edited : shared),
    assertions: [
      { max_tokens: 2000, excludes: [{ secret: true }] },
      { entries: ["writer/*", "reviewer/*"], tools: ["search", "read_page"] },
      { entries: ["support/*"], tools: [] },
    ],
  },
};
