// The names of the open log and of its requests outside of the timeline: "Step 47 · 09:14:03 · Rename cartTotal". Box ids
// are a detail.
import { computed, effect } from "@preact/signals";
import { tLazy as t } from "../i18n/index.ts";
import { importReport } from "../project.ts";
import { boxNames, logName } from "../state.ts";
import { visibleText } from "../text/plain.tsx";
import { didLabel, overview, timeLabel } from "./state.ts";

const joined = (parts: readonly string[]) => parts.filter((part) => part !== "").join(" · ");

/** The names of the boxes of a log. Steps of sessions that are not shown have their number and time only. */
const names = computed<ReadonlyMap<string, string>>(() => {
  const found = new Map<string, string>();
  for (const { id, requests } of importReport.value?.sessions ?? [])
    requests.forEach(({ box_id, at }, index) => {
      found.set(box_id, joined([visibleText(id), t("timeline.request", { n: index + 1 }), timeLabel(at ?? null)]));
    });
  for (const one of overview.value?.steps ?? [])
    found.set(one.box_id, joined([t("timeline.step", { n: one.step }), timeLabel(one.at), visibleText(didLabel(one))]));
  return found;
});

boxNames.value = names;

effect(() => {
  const all = overview.value;
  const source = all?.sessions[all.session ?? -1]?.source ?? "";
  const model = all?.steps.findLast(({ kind }) => kind === "main")?.model ?? "";
  logName.value = joined([source, model]);
});
