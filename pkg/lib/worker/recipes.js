// Recipes as tools for models.
/** @import { RecipeName } from "../../types/worker.js" */

const task = {
  type: "object",
  properties: {
    target_strategy: {
      type: "string",
      enum: ["new", "reuse", "clone"],
      description: "`new`: a new agent of a profile; `reuse`: an existing agent; `clone`: a copy of an existing agent.",
    },
    target_ref: { type: "string", description: "The name of the profile, or the id of the agent." },
    instruction: { type: "string", description: "The task." },
    context_box_id: { type: "string", description: "The id of a box whose cards the agent sees." },
  },
  required: ["target_strategy", "target_ref", "instruction"],
};

/** @param {string} description */
const text = (description) => ({ type: "string", description });

/**
 * The definition of each recipe for a model, and whether the turn waits for the result.
 *
 * @type {{ [name in RecipeName]: { waits: boolean, description: string, parameters: { [key: string]: any } } }}
 */
export const RECIPES = {
  fork_join: {
    waits: true,
    description: "Delegates several tasks at once and waits for all results.",
    parameters: {
      type: "object",
      properties: {
        tasks: { type: "array", items: task },
        fail_fast: { type: "boolean", description: "Stop at the first failure." },
        deadline_seconds: { type: "number", description: "The maximum time to wait, in seconds." },
      },
      required: ["tasks"],
    },
  },
  delegate_async: { waits: false, description: "Delegates one task to an agent and continues without waiting.", parameters: task },
  launch_principal: {
    waits: false,
    description: "Starts an independent agent of a profile.",
    parameters: {
      type: "object",
      properties: { profile_name: text("The name of the profile."), instruction: text("The task.") },
      required: ["profile_name", "instruction"],
    },
  },
  ask_expert: {
    waits: false,
    description: "Asks an expert agent, which answers in its own output box.",
    parameters: {
      type: "object",
      properties: {
        expert_profile: text("The name of the expert's profile."),
        question: text("The question."),
        include_history: { type: "boolean", description: "Whether the expert sees the output so far." },
      },
      required: ["expert_profile", "question"],
    },
  },
};

/**
 * Returns a recipe as a tool.
 *
 * @example
 * worker({ engine, model, tools: { fork_join: recipe("fork_join") } });
 *
 * @type {typeof import("../../types/worker.js").recipe}
 */
export function recipe(name, more = {}) {
  const { description, parameters } = RECIPES[name] ?? {};
  return { recipe: name, description, parameters, ...more };
}

/**
 * Returns a tool that ends the turn. Its arguments are the fields of the deliverable.
 *
 * @type {typeof import("../../types/worker.js").submitResult}
 */
export function submitResult(
  parameters = {
    type: "object",
    properties: { summary: text("A short summary of the result."), output: text("The complete result.") },
    required: ["summary", "output"],
  },
) {
  return { deliver: true, description: "Delivers the result and ends the turn. It must be the only call.", parameters };
}
