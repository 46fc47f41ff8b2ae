// The contexts of the sample project: a team of agents with shared prompts, tools and notes.

/** The parts that contexts share. A pull request edits one of them. */
export const shared = {
  model: "claude-opus-5-5",
  temperature: 0.2,
  prompts: {
    writer: "You write reports for the board. Use short sentences, and cite each source that you use.",
    reviewer: "You review reports. List each error with its line, and propose a correction.",
    support: "You answer customers. Be polite, be brief, and never promise a date.",
  },
  date: "Today is 2026-11-17.",
  tools: [
    {
      name: "search",
      description: "Finds pages in the archive.",
      input_schema: { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } }, required: ["query"] },
    },
    { name: "read_page", description: "Reads a page of the archive.", input_schema: { type: "object", properties: { id: { type: "string" } } } },
  ],
  notes: [
    "The archive has reports since 1998.",
    "The board meets on the first Monday of a month.",
    "Figures are in thousands of euros.",
  ],
};

/** The questions of each agent. */
const questions = {
  writer: ["Write the report about tides.", "Write the report about wind.", "Shorten the summary.", "Add a table of costs."],
  reviewer: ["Review the report about tides.", "Review the figures of wind."],
  support: ["My order is late.", "How can I return a book?", "Do you ship to Norway?"],
};

/**
 * Returns the body of a request.
 *
 * @param {typeof shared} given
 * @param {"writer" | "reviewer" | "support"} agent
 * @param {string} question
 */
function body({ model, temperature, prompts, date, tools, notes }, agent, question) {
  return {
    model,
    max_tokens: 1000,
    temperature,
    system: [
      { type: "text", text: prompts[agent], cache_control: { type: "ephemeral" } },
      { type: "text", text: date },
    ],
    ...(agent === "support" ? {} : { tools }),
    messages: [
      { role: "user", content: [...notes.map((text) => ({ type: "text", text })), { type: "text", text: question }] },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "search", input: { query: question } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "2 pages" }] },
    ],
  };
}

/**
 * Returns the contexts by name, for the config.
 *
 * @param {typeof shared} [given]
 */
export function contexts(given = shared) {
  const all = Object.entries(questions).flatMap(([agent, asked]) =>
    asked.map((question, at) => [
      `${agent}/${at + 1}`,
      { request: { provider: "anthropic", body: body(given, /** @type {any} */ (agent), question) }, volatile: ["/system/1"] },
    ]),
  );
  return Object.fromEntries(all);
}
