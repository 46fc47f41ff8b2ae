// The name of a request outside of the timeline: "Step 47 · 09:14:03 · Rename cartTotal". Box ids are a detail.
import { computed, effect } from "@preact/signals";
import { tLazy as t } from "../i18n/index.ts";
import { importReport } from "../project.ts";
import { boxNames } from "../state.ts";
import { visibleText } from "../text/plain.tsx";
import { didLabel, overview, timeLabel } from "./state.ts";

/** The names of the boxes of a log. Steps of sessions that are not shown have their number and time only. */
const names = computed<ReadonlyMap<string, string>>(() => {
  const found = new Map<string, string>();
  const sessions = importReport.value?.sessions ?? [];
  const steps = new Map((overview.value?.steps ?? []).map((one) => [one.request, one]));
  for (const { id, requests } of sessions)
    requests.forEach(({ request, box_id, at }, index) => {
      const one = steps.get(request);
      const parts =
        one === undefined
          ? [visibleText(id), t("timeline.request", { n: index + 1 }), timeLabel(at ?? null)]
          : [t("timeline.step", { n: one.step }), timeLabel(one.at), visibleText(didLabel(one))];
      found.set(box_id, parts.filter((part) => part !== "").join(" · "));
    });
  return found;
});

effect(() => {
  boxNames.value = names.value;
});
