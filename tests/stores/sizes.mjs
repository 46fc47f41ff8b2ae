// How large the large cases of the contract are: in the fast form still longer than one value, one page or one message
// of every store, in the deep form as large as hosts get by default.
import { deep } from "../support/deep.mjs";

export const sizes = deep ? {} : { cards: 300, card_ids: 6000, text: 80_000 };
