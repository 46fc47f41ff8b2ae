// Appends cards to a box in a file of SQLite until it is killed: `node sqlite_host.mjs FILE NAME`. Prints each card that
// is committed.
import { open } from "../../pkg/index.js";
import { sqliteStore } from "../../pkg/stores/sqlite.js";
import { openDatabase } from "../support/sqlite.mjs";

const [, , file, name] = process.argv;
const project = await open(await sqliteStore(openDatabase(file)), { projectId: "p1" });
for (let number = 0; ; number += 1) {
  const id = `${name}-${number}`;
  for (;;) {
    try {
      await project.boxes.append({ box_id: "log", card_ids: [id] });
      break;
    } catch (error) {
      // another process was first
      if (error?.code !== "conflict") throw error;
    }
  }
  process.stdout.write(`${id}\n`);
}
