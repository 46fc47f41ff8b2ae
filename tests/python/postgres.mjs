// Starts PostgreSQL for the Python tests: prints its URL, and runs until its input ends.
//
//   node tests/python/postgres.mjs [append URL BOX CARD ..]
//
// `append` appends cards to a box with the npm package instead, and prints the ids in the box.
import { open } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { poolOf, startServer } from "../stores/server.mjs";

const [action, url, box_id, ...card_ids] = process.argv.slice(2);
if (action === "append") {
  const pool = poolOf(url);
  const store = pgStore(pool);
  await store.migrate();
  for (const card_id of card_ids) {
    for (;;) {
      const project = await open(store, { projectId: "shared" });
      try {
        await project.boxes.append({ box_id, card_ids: [card_id] });
        break;
      } catch (error) {
        if (error.code !== "conflict") throw error;
      }
    }
  }
  const project = await open(store, { projectId: "shared" });
  console.log(JSON.stringify((await project.boxes.get({ box_ids: [box_id] })).boxes[0].card_ids));
  await pool.end();
} else {
  const server = await startServer();
  console.log(server.url);
  for await (const _ of process.stdin);
  await server.stop();
}
