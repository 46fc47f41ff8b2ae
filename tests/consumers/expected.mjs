// What every consumer says it saw: why each card is in the packed context, and what was read back.
export const expected = {
  why: ["argument", "inherited", "inherited", "parent"],
  read: ["Draft it.", "Cards never change.", "Boxes keep their order.", { parent_agent_id: "agent_a" }],
};
