// The config of a lockfile, and contexts in tests.
import type { TuckboxConfig } from "tuckbox";
import { contextMatchers, recordContexts } from "tuckbox/vitest";

export default {
  lock: {
    entries: {
      body: { request: { provider: "openai_chat", body: { messages: [] } } },
      turn: ({ project }) => ({ project, context: { turn: { agent_id: "ann" }, provider: "neutral" }, legal_for: ["gemini"] }),
    },
    volatile: ["/system/date", { slot: "/system/0", after: "Today is " }],
    assertions: [{ entries: ["body"], max_tokens: 100, excludes: [{ secret: true }] }],
    timeoutMs: 100,
  },
} satisfies TuckboxConfig;

const { pass, message } = await contextMatchers.toFitBudget({ messages: [] }, { max_window_percent: 50 });
export const text: string | undefined = pass ? undefined : message();

const client = { withOptions: () => client };
export const answer: string = await recordContexts("a", async ({ fetch, wrap }) => (wrap(client) === client ? "" : `${await fetch("/")}`), {
  volatile: ["/system/0"],
});
