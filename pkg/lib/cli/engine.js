// `tuckbox engine`: what is due and what is to be sent, as a process.
import { createServer } from "node:http";
import { engine } from "../../engine.js";
import { natsTransport } from "../../engines/nats.js";
import { messageOf } from "../error.js";
import { number } from "./calls.js";
import { driver, hidden } from "./stores.js";
import { UsageError } from "./usage.js";

/** How many ticks may be missed before the process calls itself unwell. */
const MISSED = 3;

export const ENGINE = {
  summary: "Do what is due and send what is to be sent, until it is stopped",
  usage: "--store postgres://.. --project ID",
  about: "Runs until SIGINT or SIGTERM. Any number of them may run on one project. Prints one JSON object a line: what happened,\nand when. With `--port`, `GET /health` answers 200 while ticks are done in time and 503 when they are not.\nTurns are run by workers: `tuckbox/worker`.",
  options: {
    tick: { value: "MS", help: "how often to look for what is due; 5000 by default" },
    send: { value: "MS", help: "how often to look for messages to send; 250 by default" },
    port: { value: "PORT", help: "where to answer `GET /health`; 0 for any free port" },
    host: { value: "ADDRESS", help: "the address of that port; 127.0.0.1 by default" },
    nats: { value: "URL", help: "a NATS server that messages go to; needs `npm install @nats-io/transport-node @nats-io/jetstream`" },
    once: { help: "one tick, then end" },
  },
  examples: ["tuckbox engine --store postgres://localhost/agents --project demo --port 8080", "tuckbox engine --store project.json --project demo --once"],
  async run(session, _, values) {
    const { store, isWritable } = await session.opened();
    if (!isWritable) throw new UsageError("an engine needs a store that can be written: a file, a database or a server");
    const tick_ms = values.tick === undefined ? 5000 : above(number(values.tick, "--tick"), "--tick");
    const send_ms = values.send === undefined ? 250 : above(number(values.send, "--send"), "--send");
    const print = (entry) => session.print(JSON.stringify({ at: new Date().toISOString(), ...entry }));
    const transport = values.nats === undefined ? undefined : await overNats(values.nats, session.cwd);
    const { open } = await import("../../index.js");
    const options = values.dialect === undefined ? {} : { dialect: values.dialect };
    const made = engine({ open, store, project_id: await session.projectId(), options, transport, tick_ms, send_ms, log: print });
    try {
      return await (values.once ? once(made) : until(made, values, tick_ms, print));
    } finally {
      await made.close();
      await transport?.close();
    }
  },
};

async function once(made) {
  const { made: calls, failed, sent } = await made.tick();
  const value = { made: calls, sent, failed: failed.map(({ op, error }) => ({ op, error: messageOf(error) })) };
  return { value, view: () => [`${calls} calls made, ${sent} messages sent, ${failed.length} failed`], code: failed.length > 0 ? 1 : 0 };
}

async function until(made, { port, host = "127.0.0.1" }, tick_ms, print) {
  await made.start();
  const server = port === undefined ? undefined : await serve(made, number(port, "--port"), host, tick_ms);
  if (server !== undefined) print({ level: "info", event: "health_served", url: `http://${host}:${server.address().port}/health` });
  const signal = await new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => resolve(name));
  });
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve() : server.close(resolve)));
  return { value: { stopped_by: signal }, view: () => [JSON.stringify({ at: new Date().toISOString(), level: "info", event: "stopped", stopped_by: signal })] };
}

function serve(made, port, host, tick_ms) {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/health") {
      response.writeHead(404).end();
      return;
    }
    const { ticked_ms_ago = null, sent_ms_ago = null } = made.health();
    const isWell = ticked_ms_ago !== null && ticked_ms_ago < MISSED * tick_ms + 1000;
    response.writeHead(isWell ? 200 : 503, { "content-type": "application/json" }).end(JSON.stringify({ status: isWell ? "ok" : "late", ticked_ms_ago, sent_ms_ago }));
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new UsageError(`\`--port ${port}\` cannot be listened on: ${messageOf(error)}`)));
    server.listen(port, host, () => resolve(server));
  });
}

async function overNats(url, cwd) {
  const [nats, jetstream] = [await driver("@nats-io/transport-node", cwd), await driver("@nats-io/jetstream", cwd)];
  if (nats === undefined || jetstream === undefined) throw new UsageError("`--nats` needs its packages: `npm install @nats-io/transport-node @nats-io/jetstream`");
  try {
    return await natsTransport({ nats, jetstream, connect: { servers: url } });
  } catch (error) {
    error.message = error.message.replaceAll(url, hidden(url));
    throw error;
  }
}

function above(value, option) {
  if (value === 0) throw new UsageError(`\`${option}\` is above 0`);
  return value;
}
