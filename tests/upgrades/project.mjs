// The project of the fixtures.
import { open } from "../../pkg/index.js";

const note = (card_id, text) => ({ card_id, type: "note", author_id: "setup", content: { __type__: "TextContent", text } });

/** Fills a store. */
export async function fill(store) {
  const project = await open(store, { projectId: "demo" });
  await project.cards.put({ cards: [note("n1", "Bees dance."), note("n2", "Dances point to food. \u{1f41d}")] });
  await project.boxes.create({ box_id: "notes", card_ids: ["n1", "n2"] });
  await project.profiles.register({ name: "Writer", profile_box_id: "notes", tags: ["prose"] });
  await project.agents.register({ agent_id: "ann", profile_name: "Writer" });
}

/** Returns what a caller reads from the filled store, without times. */
export async function seen(store) {
  const project = await open(store, { projectId: "demo" });
  const { cards } = await project.boxes.getCards({ box_id: "notes" });
  const { boxes } = await project.boxes.get({ box_ids: ["notes"] });
  const profiles = await project.profiles.list({});
  const agents = await project.agents.list({});
  return JSON.parse(
    JSON.stringify({
      cards: cards.map(({ card_id, content }) => ({ card_id, content })),
      boxes: boxes.map(({ box_id, card_ids }) => ({ box_id, card_ids })),
      profiles: rows(profiles, "name"),
      agents: rows(agents, "agent_id"),
    }),
  );
}

/** Returns the keys of listed rows. */
function rows(listed, key) {
  return Object.values(listed)
    .find(Array.isArray)
    .map((row) => row[key] ?? row.row?.[key]);
}

/** Returns a key-value database over entries. */
export function entriesStore(entries) {
  const name = (key) => JSON.stringify(key);
  let commits = 0;
  return {
    async get(keys) {
      return keys.map((key) => entries.get(name(key)) ?? null);
    },
    async commit({ checks, sets, deletes }) {
      if (checks.some(({ key, version }) => (entries.get(name(key))?.version ?? null) !== version)) return false;
      commits += 1;
      for (const { key, value } of sets) entries.set(name(key), { value, version: `c${commits}` });
      for (const key of deletes) entries.delete(name(key));
      return true;
    },
  };
}
