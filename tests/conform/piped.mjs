// Runs the recorded cases as a program. Reads the files from standard input and prints the answers.
import process from "node:process";
import { text } from "node:stream/consumers";
import * as tuckbox from "../../pkg/index.js";
import { answers } from "./cases.mjs";

process.stdout.write(await answers(JSON.parse(await text(process.stdin)), tuckbox));
