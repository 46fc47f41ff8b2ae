#!/usr/bin/env node
import { main } from "../lib/cli/main.js";

// the reader of a pipe can close it
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2), process);
