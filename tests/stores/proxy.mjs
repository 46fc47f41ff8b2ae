// A slow wire to a server, that counts how often the two sides take turns.
import { connect, createServer } from "node:net";

/** Passes everything on after `delay_ms`; `roundTrips()` is how often a question followed an answer. */
export async function slowWire(port, delay_ms) {
  let turns = 0;
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let answered = true;
    const pass = (from, to, seen) => {
      from.setNoDelay(true);
      sockets.add(from);
      from.on("data", (chunk) => {
        seen();
        setTimeout(() => to.writable && to.write(chunk), delay_ms);
      });
      from.on("error", () => to.destroy());
      from.on("close", () => setTimeout(() => to.destroy(), delay_ms));
    };
    pass(client, upstream, () => {
      if (answered) turns += 1;
      answered = false;
    });
    pass(upstream, client, () => (answered = true));
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
