// Pages of consumers in a real browser.
import { until } from "../../support/until.mjs";

/** What a page writes into its `output` element. */
export async function outputOf(context, address) {
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(address);
  const seen = async () => ({ text: await page.evaluate(() => document.querySelector("output")?.textContent ?? ""), faults });
  const { text } = await until(`\`${address}\` writes its output`, seen, ({ text }) => text !== "");
  await page.close();
  return JSON.parse(text);
}
