// Every text that the first view does without.
import type { LateKey } from "./en-late.ts";
import { help } from "./zh-help.ts";
import { rooms } from "./zh-rooms.ts";
import { views } from "./zh-views.ts";

export const late: Record<LateKey, string> = { ...views, ...rooms, ...help };
