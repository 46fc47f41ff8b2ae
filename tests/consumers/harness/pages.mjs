// Pages of consumers in a real browser.
import { until } from "../../support/until.mjs";

/** Returns the JSON that a page writes to its `output` element. */
export async function outputOf(context, address) {
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(address);
  const seen = async () => ({ text: await page.evaluate(() => document.querySelector("output")?.textContent ?? ""), errors });
  const { text } = await until(`\`${address}\` writes its output`, seen, ({ text }) => text !== "");
  await page.close();
  return JSON.parse(text);
}
