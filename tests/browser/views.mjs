// Walks through every view of the inspector.
import { settled } from "./page.mjs";

/** Opens the tabs of a context and calls `look` with the name and the selector of each; returns the names. */
export async function firstViews(page, look) {
  const views = [];
  for (const tab of await page.locator('.panes [role="tab"]').all()) {
    await tab.click();
    const id = await tab.getAttribute("id");
    const panel = `[role="tabpanel"][aria-labelledby="${id}"]`;
    await page.locator(panel).first().waitFor();
    await settled(page);
    const name = id.replace("tab-", "");
    views.push(name);
    await look(name, panel);
  }
  return views;
}

/** Opens every view and calls `look` with its name and the selector of its own part; returns the names. */
export async function everyView(page, look) {
  const views = await firstViews(page, look);
  const at = async (name, sight, place = "#main") => {
    await page.locator(sight).first().waitFor();
    await settled(page);
    views.push(name);
    await look(name, place);
  };
  const openView = (number) => page.locator(".views button").nth(number).click();

  await page.locator("#tab-cards").click();
  await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
  await at("form", ".build", ".build");
  await page.getByRole("radio", { name: "JSON" }).check();
  await at("editor", ".editor .cm-line", ".build");
  await page.locator(".build").getByRole("button", { name: "Done" }).click();
  await openView(1);
  await at("compare", ".chooser");
  await openView(2);
  await at("what if", ".whatif .controls");
  await openView(3);
  await at("boxes", ".browse-side");
  await openView(4);
  await at("runs", ".scroll-view");
  await page.locator('.runs-head input[type="radio"]').last().check();
  await page.locator(".runs-head button").click();
  await at("runs, simulated", ".lane-table");
  await openView(5);
  await at("handoff", ".handoff");
  await openView(6);
  await at("memory", ".layer-table");
  await page.keyboard.press("8");
  await at("timeline", ".scroll-view");
  await page.keyboard.press("9");
  await page.locator('.find input[type="search"]').fill("a");
  await at("search", ".find .hit");
  await openView(0);
  await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
  await at("open", "dialog[open]", "dialog[open]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await at("palette", "dialog.palette[open]", "dialog[open]");
  await page.keyboard.press("Escape");
  return views;
}

const toMessages = (texts) => texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));

/** Opens a log of another tool with `texts` as two requests and an invalid line; returns its view. */
export async function openLog(page, texts, name = "chain.jsonl") {
  const body = (messages) => JSON.stringify({ model: texts[0], max_tokens: 100, system: texts[0], messages });
  const lines = [body(toMessages(texts.slice(0, 1))), body(toMessages(texts)), `{ ${texts[0]}`];
  await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
  await page
    .locator('dialog input[type="file"]')
    .first()
    .setInputFiles({ name, mimeType: "application/jsonl", buffer: Buffer.from(lines.join("\n")) });
  await page.locator(".tl-card").first().waitFor();
  await settled(page);
  return page.locator(".tl");
}
