import type { JsonInput, JsonText } from "./json.js";
import type { Handover } from "./operations.js";
import type { Caller } from "./recipes.js";
import type { Handed, Results } from "./results.js";

/** What an argument of a recipe may be, by the name of its type. */
export interface ArgumentTypes {
  /** Text that is not blank. */
  text: string;
  number: number | bigint | JsonText;
  /** A whole number. */
  integer: number | bigint | JsonText;
  boolean: boolean;
  object: { readonly [key: string]: JsonInput | undefined } | JsonText;
  list: readonly JsonInput[] | JsonText;
  /** The fields that the result must have. */
  result_fields: readonly { readonly name: string; readonly description?: string }[] | JsonText;
  box_id: string | number | bigint;
  box_ids: readonly (string | number | bigint)[];
  /** Anything but `null`. */
  any: JsonInput;
}

/** The name of an argument's type. */
export type ArgumentType = keyof ArgumentTypes;

/** An argument of a recipe. */
export interface Argument {
  readonly name: string;
  readonly type: ArgumentType;
  /** True by default. */
  readonly required?: boolean;
  readonly description?: string;
}

/**
 * A handover under a name, as data. It is checked once, when the project is opened, with every fault
 * named in `details.errors`; then it runs like a built-in: under the same authority, in one batch, with
 * the same ledger.
 *
 * @example
 * const review = {
 *   name: "ask_for_review",
 *   arguments: [
 *     { name: "what", type: "text" },
 *     { name: "drafts", type: "box_ids" },
 *     { name: "verdict", type: "result_fields", required: false },
 *   ],
 *   handover: {
 *     target_profile_config: { profile_name: "Reviewer" },
 *     context_packing_config: {
 *       pack_arguments: [{ arg_key: "what" }, { arg_key: "verdict", as_card_type: "task.result_fields" }],
 *       inherit_context: { include_boxes_from_args: ["drafts"], include_parent: true },
 *     },
 *   },
 * } as const satisfies CustomRecipe;
 *
 * declare module "tuckbox" {
 *   interface HostRecipes { ask_for_review: typeof review }
 * }
 *
 * const project = await open(store, { project_id: "p1", recipes: [review] });
 * await project.askForReview({ source_agent_id: "agent_a", arguments: { what: "Is it true?", drafts: ["d1"] } });
 */
export interface CustomRecipe {
  /** The name by which it is called: `a` to `z`, `0` to `9` and `_`, a letter first. */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** What it takes. */
  readonly arguments: readonly Argument[];
  /** What it makes of them. Authority is not part of it: that is the caller's. */
  readonly handover: Omit<Handover, "authorized_inherit_box_ids">;
}

/**
 * The recipes that a host registers, by name, for the types alone: a host adds its own to this interface,
 * and they are operations like any other.
 */
export interface HostRecipes {}

/** The arguments of a recipe whose definition is known as a constant. */
export type ArgumentsOf<Recipe extends CustomRecipe> = {
  readonly [Each in Recipe["arguments"][number] as Each extends { readonly required: false } ? never : Each["name"]]: ArgumentTypes[Each["type"]];
} & {
  readonly [Each in Recipe["arguments"][number] as Each extends { readonly required: false } ? Each["name"] : never]?: ArgumentTypes[Each["type"]];
};

/** The operations that the host's recipes are. */
export type HostOperations = {
  [Name in keyof HostRecipes]: {
    args: Caller & { readonly arguments: HostRecipes[Name] extends CustomRecipe ? ArgumentsOf<HostRecipes[Name]> | JsonText : never };
    value: Handed;
  };
};

/** The operations that know custom recipes. */
export interface CustomOperations {
  /** Runs a recipe: a definition, or the name of one that the project was opened with. */
  run_recipe: {
    args: Caller & {
      readonly recipe: CustomRecipe | string | JsonText;
      readonly arguments: { readonly [name: string]: JsonInput | undefined } | JsonText;
    };
    value: Results["run_recipe"];
  };
  /** Checks a definition, says what was probably not meant, and gives it back as it was understood. */
  check_recipe: { args: { readonly recipe: CustomRecipe | JsonText }; value: Results["check_recipe"] };
}
