// Pictures of the inspector's main views: `node screenshots.mjs DIR [NAMES]`, through
// `cargo xtask screenshots`.
import { join } from "node:path";
import { launch, pageAddress } from "./chromium.mjs";

const [, , dir, ...wanted] = process.argv;

const LAPTOP = { width: 1440, height: 900 };
const room = (name) => async (page) => {
  await page.getByRole("navigation", { name: /View|视图/ }).getByRole("button", { name }).click();
};

/** Every view: how to get there from the demo, and what must be in sight before the picture. */
const views = {
  inspector: { go: (page) => page.locator("#card-2").click(), sight: ".why .content" },
  "inspector-dark": { colorScheme: "dark", go: (page) => page.locator("#card-2").click(), sight: ".why .content" },
  chinese: { locale: "zh-CN", go: (page) => page.locator("#card-2").click(), sight: ".why .content" },
  build: {
    async go(page) {
      await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("evidence[1]", { exact: true }).fill("box_li_outputs");
    },
    sight: ".fault",
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
  compare: { go: room("Compare"), sight: ".run .line" },
  compaction: {
    async go(page) {
      await room("Compare")(page);
      await page.locator(".chooser").first().locator("select").first().selectOption("box:box_talk");
      await page.locator(".chooser").last().locator("select").first().selectOption("box:box_talk_compacted");
    },
    sight: '.run[data-change="removed"] .line',
  },
  whatif: {
    async go(page) {
      await room("What if")(page);
      await page.getByRole("slider").fill("620");
      await page.locator("#fit-4").click();
    },
    sight: '.fit-line[data-dropped="true"]',
  },
  boxes: {
    async go(page) {
      await room("Boxes")(page);
      await page.locator(".browse-side").getByRole("button", { name: /box_mira_output/ }).click();
    },
    sight: ".node",
  },
  palette: { go: (page) => page.keyboard.press("Control+k"), sight: "#commands li" },
  open: { go: (page) => page.getByRole("button", { name: "Open", exact: true }).click(), sight: "dialog[open]" },
  phone: { viewport: { width: 360, height: 780 }, fullPage: true, sight: ".line" },
  "phone-whatif": { viewport: { width: 360, height: 780 }, fullPage: true, go: room("What if"), sight: ".fit-line" },
  "phone-compare": { viewport: { width: 360, height: 780 }, fullPage: true, go: room("Compare"), sight: ".run .line" },
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
    const page = await context.newPage();
    await page.goto(pageAddress());
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
