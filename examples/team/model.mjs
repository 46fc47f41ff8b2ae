// A scripted model. `examples/models.mjs` calls real ones.

export function model({ body }, { profile, step_count }) {
  if (profile.name === "Researcher") return `${body.messages.find(({ role }) => role === "user").content}: found`;
  const call = (name, args) => ({ text: "", tool_calls: [{ function: { name, arguments: JSON.stringify(args) } }] });
  if (step_count === 0) {
    const task = (instruction) => ({ target_strategy: "new", target_ref: "Researcher", instruction });
    return call("fork_join", { tasks: ["tides", "winds", "stars"].map(task) });
  }
  const { status, results } = JSON.parse(body.messages.at(-1).content);
  return call("submit_result", { summary: status, output: `${results.length} answers` });
}
