// The expected output of every consumer: why each card is in the packed context, and the cards that it read.
export const expected = {
  why: ["argument", "inherited", "inherited"],
  read: ["Draft it.", "Cards never change.", "Boxes keep their order."],
};
