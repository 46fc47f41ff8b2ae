// Hosts whose clock is wrong: the time of calls is that of the store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { fetchHandler } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { httpStore } from "../../pkg/stores/http.js";

/** How far the clock of this host is ahead of the server. */
const AHEAD_MS = 600_000;
/** The greatest difference of two times that a slow machine makes. */
const SLACK_MS = 120_000;

/** Returns a `fetch` to a server whose clock is behind. Without `isReported`, its answers have no time. */
function server(isReported = true) {
  const handler = fetchHandler({ open, store: memoryStore(), authorize: () => true });
  return async (url, init) => {
    const response = await handler(new Request(url, init));
    const headers = new Headers(response.headers);
    const date = new Date(Date.parse(headers.get("date")) - AHEAD_MS).toUTCString();
    if (isReported) headers.set("date", date);
    else headers.delete("date");
    return new Response(await response.arrayBuffer(), { status: response.status, headers });
  };
}

function isNear(time, expected, what) {
  assert.ok(Math.abs(time - expected) < SLACK_MS, `${what}: ${time - expected} ms`);
}

test("an engine over HTTP takes the time of the server, and reports once that its own clock is off", async () => {
  const store = httpStore("http://server.invalid", { fetch: server() });
  await assert.rejects(store.now(), { code: "store", path: "store.now" }, "before the first answer");
  const log = [];
  const team = engine({ open, store, projectId: "p", log: (entry) => log.push(entry) });
  await team.state();
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const before = Date.now();
  await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  isNear(team.now(), Date.now() - AHEAD_MS, "the time of calls");
  isNear(Date.parse((await team.rows.head("ann")).updated_at), before - AHEAD_MS, "the time of a row");
  const off = log.filter(({ event }) => event === "clock_off");
  assert.deepEqual([off.length, off[0]?.level, off[0]?.project_id], [1, "warn", "p"]);
  isNear(off[0].aheadMs, AHEAD_MS, "the difference");
  await team.close();
});

test("an engine uses the clock of its machine if the server does not report a time", async () => {
  const log = [];
  const store = httpStore("http://server.invalid", { fetch: server(false) });
  const team = engine({ open, store, projectId: "p", log: (entry) => log.push(entry) });
  await team.state();
  isNear(team.now(), Date.now(), "the time of calls");
  assert.deepEqual(log, []);
  await team.close();
});
