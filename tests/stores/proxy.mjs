// A TCP proxy that counts round trips.
import { connect, createServer } from "node:net";
import { settled } from "../support/until.mjs";

/** Forwards all bytes. `roundTrips()` returns how often the client sent data after an answer. */
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
    // all data that the client sent before this answer has arrived after `settled()`
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
