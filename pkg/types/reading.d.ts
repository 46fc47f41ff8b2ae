import type { JsonInput } from "./json.js";
import type { Results } from "./results.js";

/** Operations that show values as the core reads them. They read nothing and write nothing. */
export interface ReadingOperations {
  /** The text that a value becomes as a text card, and its JSON as a model reads it. */
  text_form: { args: { readonly value: JsonInput }; value: Results["text_form"] };
  /** A content in canonical form, its type, and the text that a model reads. */
  read_content: {
    args: { readonly content: JsonInput };
    value: Results["read_content"];
  };
  /** A card as callers send it, and the text that a model reads. */
  read_card: { args: { readonly card: JsonInput }; value: Results["read_card"] };
  /** A card as `put_cards` takes it, as it would be stored, and what a reader of the stored card sees. */
  read_new_card: {
    args: { readonly card: JsonInput };
    value: Results["read_new_card"];
  };
  /** A box as callers send it. */
  read_box: {
    args: { readonly box: JsonInput };
    value: Results["read_box"];
  };
}
