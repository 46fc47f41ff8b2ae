// The page in real Chromium: one browser a test file, one context a test.
import { launch, pageAddress } from "./chromium.mjs";

/** A browser and the page's address. */
export async function start() {
  const browser = await launch();
  return { address: pageAddress(), browser, stop: () => browser.close() };
}

/**
 * Opens the page in a context of its own, records whatever goes wrong and whatever it asks the
 * network for, hands it to `work`, and fails when the page complained.
 */
export async function withPage({ browser, address }, options, work) {
  const { expectedComplaints = [], path = "", ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions });
  const complaints = [];
  const requests = [];
  context.on("request", (request) => requests.push(request.url()));
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  try {
    await page.goto(address + path);
    await work(page, { requests, complaints, context });
    const unexpected = complaints.filter((text) => !expectedComplaints.some((known) => known.test(text)));
    if (unexpected.length > 0) throw new Error(`the page complained:\n${unexpected.join("\n")}`);
  } finally {
    await context.close();
  }
}

/** Waits until the preview is there. */
export async function ready(page) {
  await page.locator(".line:not([data-waiting])").first().waitFor();
}

/** The texts of the rows in sight, column by column. */
export function lines(page) {
  return page.locator(".line").evaluateAll((rows) =>
    rows.map((row) => ({
      position: row.querySelector(".position")?.textContent,
      type: row.querySelector(".type")?.textContent,
      role: row.querySelector(".role")?.textContent,
      excerpt: row.querySelector(".excerpt")?.textContent,
      source: row.querySelector(".badge")?.textContent,
      kind: row.dataset.kind,
    })),
  );
}

/** Opens a snapshot through the dialog. */
export async function openFile(page, file) {
  await page.locator("header").getByRole("button", { name: "Open", exact: true }).click();
  await page.locator('dialog input[type="file"]').setInputFiles(file);
}
