// A server that ends a connection with the packet before: a pool of `pg` has no listener of errors at that moment.
import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { after, before, test } from "node:test";
import { notifyTransport } from "../../pkg/engines/postgres.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { poolOf, startPostgres } from "./server.mjs";

/** The packet of a server that is ready for a statement, and the one of a server that ends the connection. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const FIELDS = Buffer.from("SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0");
const LENGTH = Buffer.alloc(4);
LENGTH.writeInt32BE(FIELDS.length + 4);
const END = Buffer.concat([Buffer.from("E"), LENGTH, FIELDS]);

let database;
let server;
/** The number of connections that end when they are ready. */
let ending = 0;

before(async () => {
  database = await startPostgres();
  server = createServer((client) => {
    const upstream = connect(database.port, "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      if (ending > 0 && chunk.subarray(-READY.length).equals(READY)) {
        ending -= 1;
        client.end(Buffer.concat([chunk, END]));
      } else client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  await new Promise((resolve) => server.close(resolve));
  await database.stop();
});

const wired = () => {
  const url = new URL(database.url);
  url.port = String(server.address().port);
  return poolOf(url.href, { max: 1 });
};

test("a store reports an error that comes with the packet before, and the next call works", async () => {
  const direct = poolOf(database.url);
  await pgStore(direct).migrate();
  await direct.end();
  const pool = wired();
  ending = 1;
  const { signal } = new AbortController();
  const store = pgStore(pool);
  const read = () => store.read({ project_id: "p", boxes: ["b"] }, { signal });
  await assert.rejects(read(), { code: "store" });
  await read();
  await pool.end();
});

test("a transport over such a connection is an error, and the next one listens", async () => {
  const pool = wired();
  ending = 1;
  await assert.rejects(notifyTransport(pool), { code: "store" });
  const transport = await notifyTransport(pool);
  await transport.close();
  await pool.end();
});
