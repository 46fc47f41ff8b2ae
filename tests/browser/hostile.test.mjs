// Untrusted text stays text. Hostile strings as contents, names and ids go through the views: nothing runs, nothing is
// requested, and invisible characters become visible. The long form has 300 strings and all views.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GUARD_MS } from "./guard.mjs";
import { families, INVISIBLE, payloads, TRAP } from "./hostile.mjs";
import { isDeep, openFile, pageUrl, ready, withPage } from "./page.mjs";
import { card, file, pack, snapshot } from "./snapshots.mjs";
import { everyView, firstViews, openLog } from "./views.mjs";

/** Small, because painting takes most of the time of a walk. */
const SMALL = { width: 900, height: 320 };

/** The number of strings combined in one place. */
const FIFTH = Math.floor(payloads.length / 5);

/** Returns a string that is short enough for a name. */
const name = (payload) => payload.slice(0, 120);

function hostileProject() {
  const cards = payloads.map((payload, at) => {
    const content =
      at % 3 === 2 ? { __type__: "JsonContent", data: { [name(payload)]: [payload] } } : { __type__: "TextContent", text: payload };
    const metadata = { type: name(payload) || "x", role: at % 2 ? "user" : name(payload), author_id: name(payload) };
    return card(`${at}:${name(payload)}`, "note", content, { metadata });
  });
  const boxes = payloads.map((payload, at) => ({
    box_id: `${name(payload)}:${at}`,
    card_ids: [cards[at].card_id],
    parent_ids: at > 0 ? [`${name(payloads[at - 1])}:${at - 1}`] : [],
    version: 1,
  }));
  const agents = payloads.map((payload, at) => ({
    agent_id: `${name(payload)}@${at}`,
    display_name: name(payload),
    profile_box_id: "pb_writer",
    state: { status: "running", context_box_id: boxes[at].box_id, output_box_id: boxes[(at + 1) % boxes.length].box_id },
  }));
  const profiles = [
    { name: "Writer", profile_box_id: "pb_writer" },
    ...payloads.map((payload, at) => ({ name: `${at} ${name(payload)}`, profile_box_id: boxes[at].box_id, tags: [name(payload)] })),
  ];
  const box_ids = boxes.map(({ box_id }) => box_id);
  const calls = [pack("all", { instruction: payloads.slice(0, FIFTH).join("\n"), box_ids }, box_ids)];
  for (const [family, list] of Object.entries(families)) {
    const call = pack(family, { instruction: list[0], [name(list[0])]: list.at(-1), box_ids: [] }, []);
    call.title = { en: name(list[1]), zh: name(list[1]) };
    call.note = { en: name(list.at(-1)), zh: name(list.at(-1)) };
    calls.push({ ...call, id: name(list[0]) });
  }
  // a composition, a handoff package and running turns, for their views
  const messages = payloads
    .slice(0, 2 * FIFTH)
    .map((payload, at) => ({ id: `${at} ${name(payload)}`, role: at % 2 ? "assistant" : "user", content: payload }));
  const contexts = { knowledge__context: payloads[0], todo__context: payloads[1], compression__context: payloads[2] };
  calls.push({
    id: name(payloads[3]),
    title: { en: name(payloads[3]), zh: name(payloads[3]) },
    note: { en: "", zh: "" },
    call: {
      op: "compose",
      process: "react",
      system_prompt: payloads[4],
      contexts,
      checkpoint_messages: messages,
      query: { runtime: payloads[5] },
    },
  });
  const handoff = {
    version: "2.0",
    handoff_type: "init_to_execute",
    timestamp: "2026-03-06T08:40:00Z",
    user_requirement: payloads[6],
    design_artifacts: Object.fromEntries(payloads.slice(0, FIFTH).map((payload) => [name(payload), name(payload)])),
    known_constraints: payloads.slice(0, FIFTH),
  };
  cards.push(card("handoff", "handoff.package", { __type__: "JsonContent", data: handoff }));
  boxes.push({ box_id: "handoff", card_ids: ["handoff"], version: 1 });
  const updated_at = "2026-03-06T08:40:00.000Z";
  const rows = agents.map(({ agent_id }, at) => ({
    table: "heads",
    key: [agent_id],
    version: `v${at}`,
    row: {
      agent_id,
      status: at % 2 ? "running" : "suspended",
      active_agent_turn_id: name(payloads[at]),
      turn_epoch: 1,
      active_recursion_depth: 0,
      waiting_tool_count: 0,
      updated_at,
    },
  }));
  return snapshot({ cards, boxes, calls, profiles, agents, rows, project_id: name(families.scripts[1] + families.directions.at(-1)) });
}

/** Runs in the page before its scripts: counts successful attacks. */
function traps() {
  window.__hits = [];
  window.__hit = (what) => window.__hits.push(`script ${what}`);
  for (const dialog of ["alert", "confirm", "prompt", "print", "open"]) window[dialog] = () => window.__hits.push(dialog);
  document.addEventListener("securitypolicyviolation", (event) =>
    window.__hits.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
  );
}

/** Runs in the page: returns elements that can only come from text parsed as markup, and invisible characters. */
function look({ hidden, trap }) {
  const invisible = new RegExp(hidden, "u");
  const found = [];
  for (const node of document.body.querySelectorAll("*")) {
    if (
      node.closest(".brand") === null &&
      ["SCRIPT", "IFRAME", "OBJECT", "EMBED", "STYLE", "LINK", "META", "BASE", "IMG", "VIDEO", "AUDIO", "MATH"].includes(
        node.tagName.toUpperCase(),
      )
    )
      found.push(node.tagName);
    for (const { name, value } of node.attributes) {
      if (name.startsWith("on")) found.push(`${node.tagName} ${name}`);
      if (/^(title|aria-|alt$|placeholder$|label$)/.test(name) && invisible.test(value))
        found.push(`hidden in ${name} of ${node.tagName}.${node.className}`);
      if (
        /^(href|src|srcset|action|formaction|xlink:href|ping|style)$/.test(name) &&
        (value.includes(trap) || /script:|data:|url\(|expression/i.test(value))
      )
        found.push(`${node.tagName} ${name}=${value.slice(0, 80)}`);
    }
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const char = invisible.exec(node.data);
    if (char !== null)
      found.push(`U+${char[0].codePointAt(0).toString(16)} in ${node.parentElement.tagName}.${node.parentElement.className}`);
  }
  if (invisible.test(document.title)) found.push("hidden in the title of the page");
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.push(`the page is ${wide} px too wide`);
  return [...new Set(found)].slice(0, 10);
}

/** Runs in the page: walks the list with the keyboard and checks every card. */
async function walk({ count, hidden, limit }) {
  const invisible = new RegExp(hidden, "u");
  // not by frame, because painting 300 cards would take most of the time
  const pause = () => new Promise((resolve) => setTimeout(resolve, 2));
  const problems = [];
  let seen = 0;
  for (let at = 0; at < count; at += 1) {
    const started = performance.now();
    const isThere = () => {
      const row = document.querySelector('.line[aria-selected="true"]:not([data-waiting])');
      return (
        row?.id === `card-${at}` &&
        document.querySelector(".why .facts dd")?.textContent.startsWith(at === 0 ? "" : `${at - 1}:`) &&
        document.querySelector(".why pre.raw") !== null
      );
    };
    while (!isThere()) {
      // once opened, it stays open
      document.querySelector(".why details")?.setAttribute("open", "");
      if (performance.now() - started > limit) return { seen, problems: [...problems, `card ${at} was never shown`] };
      await pause();
    }
    for (const part of [document.querySelector(`#card-${at}`), document.querySelector(".why")]) {
      for (const node of [...part.querySelectorAll("*")]) {
        for (const { name } of node.attributes) if (name.startsWith("on")) problems.push(`${at}: ${name}`);
      }
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        if (invisible.test(node.data)) problems.push(`${at}: invisible`);
    }
    seen += 1;
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
  }
  return { seen, problems };
}

test("hostile text is shown and has no effect", async (t) => {
  const count = payloads.length;
  assert.equal(new Set(payloads).size, isDeep ? 300 : 22);
  const prepare = async ({ page, context }) => {
    await page.addInitScript(traps);
    // a request to another origin gets no answer, but is counted
    await context.route(
      (url) => url.origin !== new URL(pageUrl()).origin,
      (route) => route.abort(),
    );
    page.on("dialog", (dialog) => dialog.dismiss());
  };
  await withPage({ viewport: SMALL, own: {}, prepare }, async (page, { requests, context }) => {
    await ready(page);
    const given = { hidden: INVISIBLE.source, trap: TRAP };
    await openFile(page, file(hostileProject()));
    await page.locator("#tab-cards .num", { hasText: String(count + 1) }).waitFor();
    const { seen, problems } = await page.evaluate(walk, { count: count + 1, hidden: INVISIBLE.source, limit: GUARD_MS });
    assert.deepEqual(problems.slice(0, 10), []);
    assert.equal(seen, count + 1);

    await page.setViewportSize({ width: 1280, height: 600 });
    const found = [];
    const inView = async (view) => {
      for (const finding of await page.evaluate(look, given)) found.push(`${view}: ${finding}`);
    };
    const views = isDeep ? await everyView(page, inView) : await firstViews(page, inView);
    await openLog(
      page,
      payloads.filter((payload) => payload.trim() !== ""),
      `${name(families.directions.at(-1))}.jsonl`,
    );
    for (const finding of await page.evaluate(look, given)) found.push(`timeline of a log: ${finding}`);
    assert.deepEqual(found, []);

    const hits = await page.evaluate(() => window.__hits);
    assert.deepEqual(hits, []);
    const foreign = requests.filter((url) => !url.startsWith(pageUrl()) && !url.startsWith("blob:"));
    assert.deepEqual(foreign, []);
    assert.equal(context.pages().length, 1, "a window was opened");
    t.diagnostic(`${count} texts, ${views.length} views: 0 executions, 0 requests`);
  });
});
