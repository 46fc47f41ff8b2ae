// The recorded cases in a runtime that is a program: files come in, answers go out.
import process from "node:process";
import { text } from "node:stream/consumers";
import * as tuckbox from "../../pkg/index.js";
import { answers } from "./cases.mjs";

process.stdout.write(await answers(JSON.parse(await text(process.stdin)), tuckbox));
