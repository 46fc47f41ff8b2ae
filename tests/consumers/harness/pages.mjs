// Pages of consumers in a real browser.

/** What a page writes into its `output` element. */
export async function outputOf(context, address) {
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(address);
  const output = page.locator("output");
  const written = page.waitForFunction(() => document.querySelector("output")?.textContent !== "", undefined, { timeout: 60_000 });
  await written.catch(() => {
    throw new Error(`\`${address}\` said nothing: ${faults.join("; ")}`);
  });
  const text = await output.textContent();
  await page.close();
  return JSON.parse(text);
}
