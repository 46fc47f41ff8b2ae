// Sizes of the large cases of the contract. In fast tests, they exceed one value, one page or one message of every
// store. In deep tests, they equal the default limits.
import { deep } from "../support/deep.mjs";

export const sizes = deep ? {} : { cards: 300, cardIds: 6000, text: 80_000 };
