// All texts that the first view does not need.
import { compare } from "./compare.ts";
import { context } from "./context.ts";
import { fit } from "./fit.ts";
import { glossary } from "./glossary.ts";
import { handoff } from "./handoff.ts";
import { handover } from "./handover.ts";
import { lock } from "./lock.ts";
import { memory } from "./memory.ts";
import { project } from "./project.ts";
import { runs } from "./runs.ts";
import { shell } from "./shell.ts";
import { timeline } from "./timeline.ts";

export const lazy = {
  ...shell,
  ...project,
  ...context,
  ...handover,
  ...compare,
  ...fit,
  ...runs,
  ...handoff,
  ...lock,
  ...memory,
  ...timeline,
  ...glossary,
};

export type LazyKey = keyof typeof lazy;
