// `tuckbox engine`: an engine as a process.
/** @import { Server } from "node:http" */
/** @import { Engine, UnreadableRow } from "../../types/engine.js" */
/** @import { OutboxMessage } from "../../types/results.js" */
/** @import { Session } from "./session.js" */
/** @import { Command, Result, Values } from "./usage.js" */
import { createServer } from "node:http";
import { engine } from "../../engine.js";
import { natsTransport } from "../../engines/nats.js";
import { messageOf } from "../error.js";
import { number } from "./calls.js";
import { line, table } from "./paint.js";
import { driver, hidden } from "./stores.js";
import { UsageError } from "./usage.js";

/** The number of late ticks after which `GET /health` answers 503. */
const MAX_LATE_TICKS = 3;

/** @type {Command} */
export const ENGINE = {
  summary: "Run due calls and send outbox messages until stopped",
  usage: "[quarantine | retry MESSAGE .. | prune] --store STORE --project ID",
  about:
    "`quarantine` lists the messages that cannot be sent, with the reasons, and the rows that cannot be read. `retry`\nreleases messages from quarantine. `prune` deletes processed messages, and the steps, calls and views of ended\nturns; cards and boxes stay. Without them the engine runs until SIGINT or SIGTERM. Any number of engines can run on one project. Prints one JSON object per line for\neach event. With `--port`, `GET /health` answers 200 while ticks are on time, and 503 otherwise.\nWorkers run the turns: `tuckbox/worker`.",
  options: {
    tick: { value: "MS", help: "interval between two ticks; 5000 by default" },
    send: { value: "MS", help: "interval between two looks into the outbox; 250 by default" },
    port: { value: "PORT", help: "port of `GET /health`; 0 for any free port" },
    host: { value: "ADDRESS", help: "address to listen on; 127.0.0.1 by default" },
    nats: { value: "URL", help: "a NATS server for messages; needs `npm install @nats-io/transport-node @nats-io/jetstream`" },
    once: { help: "run one tick and exit" },
    days: { value: "N", help: "age in days of the rows that `prune` deletes; 30 by default" },
  },
  examples: [
    "tuckbox engine --store postgres://localhost/agents --project demo --port 8080",
    "tuckbox engine --store project.db --project demo",
    "tuckbox engine --store project.json --project demo --once",
    "tuckbox engine quarantine --store postgres://localhost/agents --project demo",
    "tuckbox engine prune --days 90 --store postgres://localhost/agents --project demo",
  ],
  async run(session, [action, ...ids], values) {
    if (action !== undefined) return managed(session, action, ids, values);
    const { store, isWritable } = await session.opened();
    if (!isWritable) throw new UsageError("an engine needs a store that can write: a file, a database or a server");
    const tickMs = values.tick === undefined ? 5000 : above(number(values.tick, "--tick"), "--tick");
    const sendMs = values.send === undefined ? 250 : above(number(values.send, "--send"), "--send");
    /** @param {object} entry */
    const print = (entry) => session.print(JSON.stringify({ at: new Date().toISOString(), ...entry }));
    const transport = values.nats === undefined ? undefined : await overNats(values.nats, session.cwd);
    const { open } = await import("../../index.js");
    const options = values.dialect === undefined ? {} : { dialect: values.dialect };
    const made = engine({ open, store, projectId: await session.projectId(), options, transport, tickMs, sendMs, log: print });
    try {
      return await (values.once ? once(made) : until(made, values, tickMs, print));
    } finally {
      await made.close();
      await transport?.close();
    }
  },
};

/**
 * Lists the quarantine, releases messages from it, or deletes old rows.
 *
 * @param {Session} session
 * @param {string} action
 * @param {readonly string[]} ids
 * @param {Values} values
 * @returns {Promise<Result>}
 */
async function managed(session, action, ids, { days }) {
  if (action !== "quarantine" && action !== "retry" && action !== "prune")
    throw new UsageError("expected `engine` alone, `engine quarantine`, `engine retry` or `engine prune`");
  if (action === "retry" && ids.length === 0) throw new UsageError("`engine retry` needs the ids of messages");
  const { open } = await import("../../index.js");
  const made = engine({ open, store: (await session.opened()).store, projectId: await session.projectId() });
  try {
    if (action === "prune") {
      const value = await made.prune(days === undefined ? {} : { olderThanSeconds: Math.round(number(days, "--days") * 86_400) });
      const counts = Object.entries(value).map(([name, count]) => `${count} ${name}`);
      return { value, view: () => [`${counts.join(", ")} deleted`] };
    }
    if (action === "retry") {
      const value = { released: await made.retry(ids) };
      return { value, view: () => [`${value.released} messages are sent again`], code: value.released < ids.length ? 1 : 0 };
    }
    const [messages, { unreadable = [] }] = [await made.quarantine({ limit: 1000 }), await made.look("due", {})];
    return { value: { messages, unreadable }, view: () => quarantineView({ messages, unreadable }, session) };
  } finally {
    await made.close();
  }
}

/** @param {{ messages: readonly OutboxMessage[], unreadable: readonly UnreadableRow[] }} found @param {Session} session */
function quarantineView({ messages, unreadable }, { paint, width }) {
  if (messages.length + unreadable.length === 0) return ["the quarantine is empty"];
  const rows = [
    ...messages.map(({ message_id, subject, error = "" }) => [message_id, line(subject), line(error)]),
    ...unreadable.map(({ table: name, key, error }) => [`${name} ${line(key.join(" "))}`, "", line(error)]),
  ];
  return table(rows, [{ paint: paint.dim }, { paint: paint.cyan }, { paint: paint.red }], width);
}

/** @param {Engine} made @returns {Promise<Result>} */
async function once(made) {
  const { made: calls, failed, sent } = await made.tick();
  const value = { made: calls, sent, failed: failed.map(({ op, error }) => ({ op, error: messageOf(error) })) };
  return { value, view: () => [`${calls} calls made, ${sent} messages sent, ${failed.length} failed`], code: failed.length > 0 ? 1 : 0 };
}

/** @param {Engine} made @param {Values} values @param {number} tickMs @param {(entry: object) => void} print @returns {Promise<Result>} */
async function until(made, { port, host = "127.0.0.1" }, tickMs, print) {
  await made.start();
  const server = port === undefined ? undefined : await serve(made, number(port, "--port"), host, tickMs);
  if (server !== undefined) print({ level: "info", event: "health_served", url: `http://${host}:${portOf(server)}/health` });
  const signal = await new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => resolve(name));
  });
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  return {
    value: { stopped_by: signal },
    view: () => [JSON.stringify({ at: new Date().toISOString(), level: "info", event: "stopped", stopped_by: signal })],
  };
}

/** @param {Engine} made @param {number} port @param {string} host @param {number} tickMs @returns {Promise<Server>} */
function serve(made, port, host, tickMs) {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/health") {
      response.writeHead(404).end();
      return;
    }
    const { tickedMsAgo = null, sentMsAgo = null } = made.health();
    const isWell = tickedMsAgo !== null && tickedMsAgo < MAX_LATE_TICKS * tickMs + 1000;
    response
      .writeHead(isWell ? 200 : 503, { "content-type": "application/json" })
      .end(JSON.stringify({ status: isWell ? "ok" : "late", ticked_ms_ago: tickedMsAgo, sent_ms_ago: sentMsAgo }));
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new UsageError(`cannot listen on \`--port ${port}\`: ${messageOf(error)}`)));
    server.listen(port, host, () => resolve(server));
  });
}

/** @param {string} url @param {string} cwd */
async function overNats(url, cwd) {
  const [nats, jetstream] = [await driver("@nats-io/transport-node", cwd), await driver("@nats-io/jetstream", cwd)];
  if (nats === undefined || jetstream === undefined)
    throw new UsageError("`--nats` needs its packages: `npm install @nats-io/transport-node @nats-io/jetstream`");
  try {
    return await natsTransport({ nats, jetstream, connect: { servers: url } });
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(url, hidden(url));
    throw error;
  }
}

/** @param {Server} server */
function portOf(server) {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** @param {number} value @param {string} option */
function above(value, option) {
  if (value === 0) throw new UsageError(`\`${option}\` must be greater than 0`);
  return value;
}
