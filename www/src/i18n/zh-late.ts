// Every text that the first view does without.
import type { LazyKey } from "./en-late.ts";
import { help } from "./zh-help.ts";
import { rooms } from "./zh-rooms.ts";
import { views } from "./zh-views.ts";

export const late: Record<LazyKey, string> = { ...views, ...rooms, ...help };
