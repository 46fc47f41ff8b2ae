// Tools that are rules of this package: a model may call them like any other.

const task = {
  type: "object",
  properties: {
    target_strategy: { type: "string", enum: ["new", "reuse", "clone"], description: "A new agent of a profile, an agent that is there, or a new one like it." },
    target_ref: { type: "string", description: "The name of the profile, or the id of the agent." },
    instruction: { type: "string", description: "What it is to do." },
    context_box_id: { type: "string", description: "A box whose cards it sees." },
  },
  required: ["target_strategy", "target_ref", "instruction"],
};

const text = (description) => ({ type: "string", description });

/** What each recipe is for the model, and whether its turn waits for the result. */
export const RECIPES = {
  fork_join: {
    waits: true,
    description: "Hands out several tasks at once and waits for all of them.",
    parameters: {
      type: "object",
      properties: { tasks: { type: "array", items: task }, fail_fast: { type: "boolean", description: "End at the first failure." }, deadline_seconds: { type: "number", description: "The longest wait." } },
      required: ["tasks"],
    },
  },
  delegate_async: { waits: false, description: "Hands one task to an agent and goes on.", parameters: task },
  launch_principal: {
    waits: false,
    description: "Starts an agent of a profile that works on its own.",
    parameters: { type: "object", properties: { profile_name: text("The name of the profile."), instruction: text("What it is to do.") }, required: ["profile_name", "instruction"] },
  },
  ask_expert: {
    waits: false,
    description: "Asks an expert, who answers in an output of its own.",
    parameters: {
      type: "object",
      properties: { expert_profile: text("The name of the expert's profile."), question: text("The question."), include_history: { type: "boolean", description: "Whether the expert sees what was put out so far." } },
      required: ["expert_profile", "question"],
    },
  },
};

/**
 * A recipe as a tool.
 *
 * @example
 * worker({ engine, model, tools: { fork_join: recipe("fork_join") } });
 */
export function recipe(name, more = {}) {
  const { description, parameters } = RECIPES[name] ?? {};
  return { recipe: name, description, parameters, ...more };
}

/** A tool that ends the turn: its arguments are the fields of the deliverable. */
export function submitResult(parameters = { type: "object", properties: { summary: text("The result in a few words."), output: text("The whole result.") }, required: ["summary", "output"] }) {
  return { deliver: true, description: "Delivers the result and ends the turn. It must be the only call.", parameters };
}
