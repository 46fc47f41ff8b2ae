// A wire to a server, that counts how often the two sides take turns.
import { connect, createServer } from "node:net";
import { settled } from "../support/until.mjs";

/** Passes everything on; `roundTrips()` is how often a question followed an answer. */
export async function countingWire(port) {
  let turns = 0;
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let answered = true;
    const pass = (from, to, seen) => {
      from.setNoDelay(true);
      sockets.add(from);
      from.on("data", async (chunk) => {
        await seen();
        if (to.writable) to.write(chunk);
      });
      from.on("error", () => to.destroy());
      from.on("close", async () => {
        await settled();
        to.destroy();
      });
    };
    pass(client, upstream, () => {
      if (answered) turns += 1;
      answered = false;
    });
    // what the client has sent in one go, in this process, is here by then: it did not wait for this answer
    pass(upstream, client, async () => {
      await settled();
      answered = true;
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    roundTrips: () => turns,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
