// Takes screenshots of the main views: `node screenshots.mjs DIR [NAMES]`, through `cargo xtask
// screenshots`.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, pageUrl } from "./chromium.mjs";

const [, , dir, ...wanted] = process.argv;

// the size that stores of extensions accept
const LAPTOP = { width: 1280, height: 800 };
const openView = (name) => async (page) => {
  await page
    .getByRole("navigation", { name: /View|视图/ })
    .getByRole("button", { name })
    .click();
};

/** A team with three tasks, of which one fails. */
async function playedTeam(page) {
  const press = async (name) => {
    const before = await page.locator(".step").count();
    await page.getByRole("button", { name }).first().click();
    await page.waitForFunction(
      (n) => document.querySelectorAll(".step").length > n && document.querySelector(".sim-actions[aria-busy=true]") === null,
      before,
    );
  };
  await openView("Runs")(page);
  await page.getByRole("radio", { name: "Simulated team" }).check();
  for (const name of [
    "Start a team",
    /^Send messages/,
    /^Call fork_join/,
    /^Send messages/,
    /^Fail$/,
    /^Answer$/,
    /^Send messages/,
    /^Answer$/,
    /^Send messages/,
  ])
    await press(name);
}

/** Every view: how to open it from the demo, and what must be visible. */
const views = {
  inspector: { go: (page) => page.locator("#card-2").click(), sight: ".why .content" },
  "inspector-dark": { colorScheme: "dark", go: (page) => page.locator("#card-2").click(), sight: ".why .content" },
  chinese: { locale: "zh-CN", go: (page) => page.locator("#card-2").click(), sight: ".why .content" },
  build: {
    async go(page) {
      await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("evidence[1]", { exact: true }).fill("box_li_outputs");
    },
    sight: ".error-note",
  },
  editor: {
    async go(page) {
      await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
      await page.getByRole("radio", { name: "JSON" }).check();
    },
    sight: ".editor .cm-line",
  },
  problems: {
    async go(page) {
      await page.locator(".nav .entry").nth(2).click();
      await page.locator("#tab-problems").click();
    },
    sight: ".notes li",
  },
  messages: { go: (page) => page.locator("#tab-messages").click(), sight: ".message" },
  payload: {
    async go(page) {
      await page.locator("#tab-payload").click();
      await page.locator(".payload").getByLabel("Provider").selectOption("anthropic");
    },
    sight: ".payload-side .notes li",
  },
  commit: { go: (page) => page.locator(".heading .primary").click(), sight: "dialog[open] .writes" },
  compare: { go: openView("Compare"), sight: ".run .line" },
  compaction: {
    async go(page) {
      await openView("Compare")(page);
      await page.locator(".chooser").first().locator("select").first().selectOption("box:box_talk");
      await page.locator(".chooser").last().locator("select").first().selectOption("box:box_talk_compacted");
    },
    sight: '.run[data-change="removed"] .line',
  },
  whatif: {
    async go(page) {
      await openView("What if")(page);
      await page.getByRole("slider").fill("620");
      await page.locator("#fit-4").click();
    },
    sight: '.fit-line[data-dropped="true"]',
  },
  boxes: {
    async go(page) {
      await openView("Boxes")(page);
      await page
        .locator(".browse-side")
        .getByRole("button", { name: /box_mira_output/ })
        .click();
    },
    sight: ".node",
  },
  runs: { go: playedTeam, sight: ".rules li" },
  handoff: {
    async go(page) {
      await openView("Handoff")(page);
      await page.getByRole("button", { name: "Build an example" }).click();
      await page.locator("dialog[open]").getByRole("button", { name: "Commit", exact: true }).click();
      await page.getByText("All referenced files are stored").waitFor();
    },
    sight: ".handoff tbody tr",
  },
  search: {
    async go(page) {
      await openView("Search")(page);
      await page.getByLabel("Find in all cards of the project").fill("ferry");
    },
    sight: ".find mark",
  },
  "docked-low-whatif": { viewport: { width: 1200, height: 300 }, go: openView("What if"), sight: ".fit-line" },
  memory: { go: openView("Memory"), sight: ".remembered li" },
  timeline: {
    async go(page) {
      await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
      await page
        .locator('dialog input[type="file"]')
        .first()
        .setInputFiles(fileURLToPath(new URL("../recordings/pi-session.jsonl", import.meta.url)));
      await page.locator(".tl-card").first().waitFor();
    },
    sight: ".tl-step",
  },
  "docked-low": { viewport: { width: 1200, height: 300 }, sight: ".line" },
  "docked-right": { viewport: { width: 400, height: 700 }, sight: ".line" },
  palette: { go: (page) => page.keyboard.press("Control+k"), sight: "#commands li" },
  open: { go: (page) => page.getByRole("button", { name: "Open", exact: true }).click(), sight: "dialog[open]" },
  phone: { viewport: { width: 360, height: 780 }, fullPage: true, sight: ".line" },
  "phone-whatif": { viewport: { width: 360, height: 780 }, fullPage: true, go: openView("What if"), sight: ".fit-line" },
  "phone-compare": { viewport: { width: 360, height: 780 }, fullPage: true, go: openView("Compare"), sight: ".run .line" },
  wall: { viewport: { width: 3840, height: 2160 }, sight: ".line" },
};

const unknown = wanted.filter((name) => !(name in views));
if (unknown.length > 0) throw new Error(`unknown view ${unknown.join(", ")}; there are ${Object.keys(views).join(", ")}`);

const browser = await launch();
try {
  for (const [name, view] of Object.entries(views)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { go = () => undefined, sight, fullPage = false, ...options } = view;
    const context = await browser.newContext({ viewport: LAPTOP, locale: "en-GB", colorScheme: "light", ...options });
    // no tour in screenshots
    await context.addInitScript(() => localStorage.setItem("tuckbox.tour", "done"));
    const page = await context.newPage();
    await page.goto(pageUrl());
    await page.locator(".line:not([data-waiting])").first().waitFor();
    await go(page);
    await page.locator(sight).first().waitFor();
    await page.waitForTimeout(150);
    const path = join(dir, `${name}.png`);
    await page.screenshot({ path, fullPage });
    console.log(path);
    await context.close();
  }
} finally {
  await browser.close();
}
