// Every operation of the core by its name on the wire; each is also a method in JavaScript's case.
export const operations = [
  "pack_context",
  "put_cards",
  "create_box",
  "append_to_box",
  "replace_box",
  "fork_box",
  "concat_boxes",
  "delete_cards",
  "delete_box",
  "get_cards",
  "get_boxes",
  "get_box_cards",
  "inspect",
  "render",
];

/** `pack_context` as `packContext`. */
export function camelCase(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}
