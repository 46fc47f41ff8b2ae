// Builds a handover: one value, as a form and as JSON.
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { marks } from "../../build/marks.ts";
import { choicesFor } from "../../build/names.ts";
import { shapeAt } from "../../build/schema.ts";
import { building } from "../../build/start.ts";
import { callText, canRedo, canUndo, change, drafts, namedCall, parsedCall, undo } from "../../calls.ts";
import type { Editor } from "../../editor/editor.ts";
import { errorData } from "../../engine/client.ts";
import type { ErrorData, Json } from "../../engine/protocol.ts";
import { lang, t } from "../../i18n/lazy.ts";
import { mountPoint } from "../../mount.ts";
import { inFrame, pending } from "../../pending.ts";
import { saveCall } from "../../project.ts";
import { lastPreview, previewError } from "../../state.ts";
import { write } from "../../text/json.ts";
import type { Step } from "../../text/paths.ts";
import { ErrorNote } from "../common/error.tsx";
import { Segments } from "../common/segments.tsx";
import { Form } from "./form.tsx";

const form = signal<"form" | "json">("form");

export function Build() {
  const call = namedCall.value;
  const failed = useSignal<ErrorData | null>(null);
  // an error note must not cover the field that the user types in
  useSignalEffect(() => {
    if (previewError.value === null) return;
    inFrame(() => mountPoint().root.querySelector(".build-body :focus")?.scrollIntoView({ block: "nearest" }));
  });
  if (call === null) return null;
  const isChanged = drafts.value.has(call.id);
  return (
    <section class="build" aria-label={t("build.label")}>
      <header class="build-head">
        <h2>{t("build.title")}</h2>
        <Segments
          label={t("build.face")}
          options={[
            { value: "form", text: t("build.form") },
            { value: "json", text: "JSON" },
          ]}
          value={form.value}
          onChange={(next) => (form.value = next as "form" | "json")}
        />
      </header>
      <label class="choice">
        <span>{t("build.title.field")}</span>
        <input
          type="text"
          value={call.title[lang.value]}
          onChange={(event) => {
            const title = { ...call.title, [lang.value]: event.currentTarget.value };
            saveCall({ ...call, title }).catch((thrown: unknown) => (failed.value = errorData(thrown)));
          }}
        />
      </label>
      <div class="build-body">{form.value === "form" ? <Form /> : <JsonFace />}</div>
      {failed.value !== null && <ErrorNote title={t("error.title")} error={failed.value} />}
      {previewError.value !== null && (
        <ErrorNote
          title={t("error.title")}
          error={previewError.value}
          note={lastPreview.value === null ? undefined : t("error.last.adjacent")}
        />
      )}
      <footer class="row end">
        <span class="muted" role="status">
          {isChanged ? t("build.changed") : ""}
        </span>
        <button type="button" class="quiet" disabled={!canUndo.value} onClick={() => undo("back")}>
          {t("build.undo")}
        </button>
        <button type="button" class="quiet" disabled={!canRedo.value} onClick={() => undo("forth")}>
          {t("build.redo")}
        </button>
        <button type="button" class="quiet" disabled={!isChanged} onClick={() => change(write(call.call))}>
          {t("build.reset")}
        </button>
        <button type="button" class="quiet" onClick={() => (building.value = false)}>
          {t("build.close")}
        </button>
      </footer>
    </section>
  );
}

function JsonFace() {
  const host = useRef<HTMLDivElement>(null);
  const loading = useSignal(true);
  const failed = useSignal<ErrorData | null>(null);
  useEffect(() => {
    let editor: Editor | undefined;
    let isUnmounted = false;
    const stops: (() => void)[] = [];
    pending(import("../../editor/editor.ts")).then(
      ({ mount }) => {
        if (isUnmounted || host.current === null) return;
        loading.value = false;
        editor = mount(host.current, {
          label: t("build.json.label"),
          text: callText.peek() ?? "",
          onChange: change,
          keysAt,
          valuesAt,
        });
        const made = editor;
        stops.push(
          callText.subscribe((text) => made.setText(text ?? "")),
          marks.subscribe((found) => made.setMarks(found)),
        );
      },
      (thrown: unknown) => {
        failed.value = errorData(thrown);
      },
    );
    return () => {
      isUnmounted = true;
      for (const stop of stops) stop();
      editor?.destroy();
    };
  }, [namedCall.value?.id]);
  return (
    <>
      {loading.value && (
        <p class="muted" role="status">
          {t("build.json.loading")}
        </p>
      )}
      {failed.value !== null && <ErrorNote title={t("error.title")} error={failed.value} />}
      <div class="editor" ref={host} />
    </>
  );
}

function current(): Json | undefined {
  const parsed = parsedCall.peek();
  return parsed?.ok === true ? parsed.value : undefined;
}

// invalid JSON cannot be parsed, but its `op` can be found
function callShape(): Json | undefined {
  const value = current();
  if (value !== undefined) return value;
  const op = /"op"\s*:\s*"(\w+)"/.exec(callText.peek() ?? "")?.[1];
  return op === undefined ? undefined : { op };
}

function keysAt(path: Step[]) {
  const shape = shapeAt(callShape(), path);
  return shape?.kind === "object" ? shape.fields.map(({ name, required }) => ({ label: name, note: required ? "•" : "" })) : [];
}

function valuesAt(path: Step[]) {
  const shape = shapeAt(callShape(), path);
  if (shape === null) return [];
  // a value without a shape is usually a box id
  const choices = shape.kind === "json" ? choicesFor({ kind: "box" }) : choicesFor(shape);
  return choices.map(({ value, note }) => ({ label: value, note }));
}
