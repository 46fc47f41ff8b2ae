// Every text that the first view does without.
import { help } from "./en-help.ts";
import { rooms } from "./en-rooms.ts";
import { views } from "./en-views.ts";

export const late = { ...views, ...rooms, ...help };

export type LazyKey = keyof typeof late;
