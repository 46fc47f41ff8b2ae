import type { Caller, CustomRecipe } from "./arguments.js";
import type { JsonInput, JsonText } from "./json.js";
import type { CamelCase } from "./operations.js";
import type { Handed } from "./results.js";
import type { Method } from "./workspace.js";

/** The value of a recipe argument by the name of its type. */
export interface ArgumentTypes {
  /** A string that is not blank. */
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
  /** Any value except `null`. */
  any: JsonInput;
}

/**
 * The types of the host's recipes by name. A host adds its recipes to this interface. Each is an
 * operation.
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
 * const project = await open(store, { projectId: "p1", recipes: [review] });
 * await project.recipes.askForReview({ source_agent_id: "agent_a", arguments: { what: "Is it true?", drafts: ["d1"] } });
 */
// biome-ignore lint/suspicious/noEmptyInterface: hosts add members by declaration merging
export interface HostRecipes {}

/** The arguments of a recipe that is declared `as const`. */
export type ArgumentsOf<Recipe extends CustomRecipe> = {
  readonly [Each in Recipe["arguments"][number] as Each extends { readonly required: false }
    ? never
    : Each["name"]]: ArgumentTypes[Each["type"]];
} & {
  readonly [Each in Recipe["arguments"][number] as Each extends { readonly required: false }
    ? Each["name"]
    : never]?: ArgumentTypes[Each["type"]];
};

/** The methods of the host's recipes, in `project.recipes`. */
export type HostMethods = { readonly [Name in keyof HostRecipes as CamelCase<Name>]: Method<Name> };

/** The operations of the host's recipes. */
export type HostOperations = {
  [Name in keyof HostRecipes]: {
    args: Caller & { readonly arguments: HostRecipes[Name] extends CustomRecipe ? ArgumentsOf<HostRecipes[Name]> | JsonText : never };
    value: Handed;
  };
};
