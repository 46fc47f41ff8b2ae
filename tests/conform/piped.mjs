// Runs the recorded cases in a runtime that is a program: files in, answers out.
import process from "node:process";
import { text } from "node:stream/consumers";
import * as tuckbox from "../../pkg/index.js";
import { answers } from "./cases.mjs";

process.stdout.write(await answers(JSON.parse(await text(process.stdin)), tuckbox));
