import type { Content } from "./cards.js";
import type { JsonInput, JsonObject } from "./json.js";

/** A card as callers send it, every field present. */
export interface WireCard {
  readonly card_id: string;
  readonly content: Content;
  readonly metadata: JsonObject;
  readonly tool_calls: readonly JsonObject[] | null;
  readonly tool_call_id: string | null;
  readonly ttl_seconds: number | null;
}

/** Operations that show values as the core reads them. They read nothing and write nothing. */
export interface ReadingOperations {
  /** The text that a value becomes as a text card, and its JSON as a model reads it. */
  text_form: { args: { readonly value: JsonInput }; value: { readonly text: string; readonly json: string } };
  /** A content in canonical form, its type, and the text that a model reads. */
  read_content: {
    args: { readonly content: JsonInput };
    value: { readonly type: Content["__type__"]; readonly content: Content; readonly text: string };
  };
  /** A card as callers send it, and the text that a model reads. */
  read_card: { args: { readonly card: JsonInput }; value: { readonly card: WireCard; readonly text: string } };
  /** A card as `put_cards` takes it, as it would be stored, and what a reader of the stored card sees. */
  read_new_card: {
    args: { readonly card: JsonInput };
    value: {
      readonly stored: WireCard;
      readonly type: string;
      /** `unknown` where nobody is named. */
      readonly author_id: string;
      /** `public` where the card names none. */
      readonly project_id: string;
    };
  };
  /** A box as callers send it. */
  read_box: {
    args: { readonly box: JsonInput };
    value: { readonly box: { readonly box_id?: string; readonly card_ids: readonly string[]; readonly parent_ids?: readonly string[] } };
  };
}
