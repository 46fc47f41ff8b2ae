#!/usr/bin/env node
import { main } from "../lib/cli/main.js";

// whoever reads what is printed may stop reading
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2), process);
