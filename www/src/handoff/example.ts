// Invented records of an iteration: what an executing agent returns to the agent that designed it.
const record = (n: number, passed: boolean, problem: string) => ({
  sample_id: `letter_${n}`,
  sample: { question: `Letter ${n}: when did the gate close?` },
  trace: {
    conversation_history: [
      { role: "user", content: "When did the gate close?" },
      { role: "assistant", content: passed ? "At 23:41, as the log says." : "At 23:40." },
    ],
  },
  evaluation: { passed, checkers_failed: passed ? [] : ["times"] },
  ...(passed
    ? {}
    : {
        attribution: {
          failure_type: "wrong_source",
          problem_id: problem,
          problem_type: "prompt",
          severity: "high",
          priority: n === 2 ? "high" : "low",
        },
      }),
});

export const example = {
  execution_output_dir: "runs/7",
  timestamp: "2026-03-07T10:00:00Z",
  iteration: 7,
  trigger_reason: "times were taken from the timetable and not from the log",
  records: [record(1, true, ""), record(2, false, "P1"), record(3, false, "P1"), record(4, false, "P2")],
  modification_suggestions_summary: [
    "Name the log as the only source of times.",
    "Ask for the line of the log.",
    "Show one example of a wrong clock.",
  ],
};
