// What is fitted in "What if": the choices, the selection, and its prompt.
import { computed } from "@preact/signals";
import { compositions, editedText, packingCalls, withDialect } from "../../calls.ts";
import type { Json, JsonObject, PromptSource } from "../../engine/protocol.ts";
import { fitTarget, hiddenLayers, processKind } from "../../fit/state.ts";
import { lang, t } from "../../i18n/lazy.ts";
import { boxName, dialect, project, target } from "../../state.ts";
import { parse, write } from "../../text/json.ts";
import { set } from "../../text/paths.ts";
import type { Option } from "../common/search-select.tsx";
import type { Fittable } from "./compaction.ts";

/** What can be fitted: an input of the composer, a call that packs, an agent's turn, a box. */
export const choices = computed<Option[]>(() => [
  ...compositions.value.map((call) => ({ what: `call:${call.id}`, text: call.title[lang.value] ?? call.id, group: t("nav.compositions") })),
  ...packingCalls.value.map((call) => ({ what: `call:${call.id}`, text: call.title[lang.value] ?? call.id, group: t("nav.handovers") })),
  ...(project.value?.agents ?? []).map(({ agent_id, display_name }) => ({
    what: `agent:${agent_id}`,
    text: display_name ?? agent_id,
    group: t("nav.agents"),
  })),
  ...(project.value?.boxes ?? []).map(({ box_id }) => ({ what: `box:${box_id}`, text: boxName(box_id), group: t("nav.boxes") })),
]);

export const targetId = computed<string | null>(() => {
  const at = target.value;
  const first = compositions.value[0] ?? packingCalls.value[0];
  const shown =
    at === null ? null : at.kind === "call" ? `call:${at.id}` : at.kind === "agent" ? `agent:${at.agent_id}` : `box:${at.box_id}`;
  const otherwise = first === undefined ? shown : compositions.value.length > 0 ? `call:${first.id}` : (shown ?? `call:${first.id}`);
  return choices.value.some(({ what }) => what === fitTarget.value) ? fitTarget.value : otherwise;
});
export const current = computed(() => {
  const id = /^call:(.*)$/s.exec(targetId.value ?? "")?.[1];
  return project.value?.calls.find((call) => call.id === id) ?? null;
});

/** The composer's input with the switches applied. */
const composed = computed<JsonObject | null>(() => {
  const call = current.value;
  if (call?.call.op !== "compose") return null;
  const given = parse(editedText(call));
  if (!given.ok) return null;
  let value: Json | undefined = set(given.value, ["op"], undefined);
  if (processKind.value !== null) value = set(value, ["process"], processKind.value);
  for (const layer of hiddenLayers.value) value = set(value, ["contexts", layer], undefined);
  return value as JsonObject;
});

export const source = computed<PromptSource | null>(() => {
  const [, kind, id = ""] = /^(\w+):(.*)$/s.exec(targetId.value ?? "") ?? [];
  if (kind === "box") return { subject: { box_id: id }, shown: 0 };
  if (kind === "agent") return { subject: { turn: { agent_id: id } }, shown: 0 };
  const call = current.value;
  if (call === null) return null;
  if (composed.value !== null) return { compose: write(composed.value) };
  const text = withDialect(editedText(call), dialect.value);
  return text === null ? null : { subject: { call: text }, shown: 0 };
});

/** What is fitted, for compaction. */
export const fittable = computed<Fittable | null>(() => {
  const [, kind, id = ""] = /^(\w+):(.*)$/s.exec(targetId.value ?? "") ?? [];
  if (kind === "box") return { box_id: id };
  if (kind === "agent") return { agent_id: id };
  return current.value === null ? null : { call: current.value };
});
