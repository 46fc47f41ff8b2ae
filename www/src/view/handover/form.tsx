// The call as a form. Every field is a place in one JSON value; errors and lints are next to their field.
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { key, marksByPath } from "../../build/marks.ts";
import { choicesFor } from "../../build/names.ts";
import { blankValue, type FieldShape, type Schema, shapeOf } from "../../build/schema.ts";
import { change, parsedCall } from "../../calls.ts";
import type { Json } from "../../engine/protocol.ts";
import { t } from "../../i18n/lazy.ts";
import { parse, write } from "../../text/json.ts";
import { type Step, set } from "../../text/paths.ts";
import { Name, Plain, visibleText } from "../../text/plain.tsx";

export function Form() {
  const parsed = parsedCall.value;
  if (parsed === null) return null;
  if (!parsed.ok)
    return (
      <p class="mark error" role="alert">
        {t("build.broken")} <Plain text={parsed.message} />
      </p>
    );
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <Marks path={[]} />
      <Members shape={shapeOf(parsed.value)} value={parsed.value} path={[]} />
    </form>
  );
}

function put(path: Step[], next: Json | undefined): void {
  const parsed = parsedCall.peek();
  if (parsed?.ok === true) change(write(set(parsed.value, path, next) ?? {}));
}

interface Place<S extends Schema = Schema> {
  shape: S;
  value: Json | undefined;
  path: Step[];
}

type ObjectShape = Extract<Schema, { kind: "object" }>;

function Members({ shape, value, path }: Place<ObjectShape>) {
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const known = shape.fields;
  const others = Object.keys(object).filter((name) => !known.some((one) => one.name === name));
  return (
    <>
      {known.map((one) => (
        <Member key={one.name} field={one} value={object[one.name]} path={[...path, one.name]} />
      ))}
      {others.map((name) => (
        <Member key={name} field={{ name, of: guess(object[name], shape.open) }} value={object[name]} path={[...path, name]} removable />
      ))}
      {shape.open !== undefined && <NewMember path={path} taken={Object.keys(object)} />}
    </>
  );
}

/** Returns the shape to use for a value that no schema describes. */
function guess(value: Json | undefined, otherwise: Schema = { kind: "json" }): Schema {
  if (typeof value === "string") return value.length > 40 || value.includes("\n") ? { kind: "text" } : { kind: "box" };
  if (typeof value === "boolean") return { kind: "flag" };
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return { kind: "list", of: { kind: "box" } };
  return otherwise;
}

function Member({
  field,
  value,
  path,
  removable = false,
}: {
  field: FieldShape;
  value: Json | undefined;
  path: Step[];
  removable?: boolean;
}) {
  const id = useId();
  const { name, of, required } = field;
  const nested = of.kind === "object" || of.kind === "list";
  const label = (
    <>
      <Name text={name} />
      {required === true && value === undefined && <span class="required">{t("build.required")}</span>}
    </>
  );
  const remove = removable && (
    <button type="button" class="small" aria-label={t("build.remove", { name })} onClick={() => put(path, undefined)}>
      ×
    </button>
  );
  if (nested) {
    return (
      <fieldset class="group">
        <legend>
          {label}
          {remove}
        </legend>
        <Marks path={path} />
        {of.kind === "object" ? <Members shape={of} value={value} path={path} /> : <Items shape={of} value={value} path={path} />}
      </fieldset>
    );
  }
  return (
    <div class="member">
      <label for={id}>
        {label}
        {remove}
      </label>
      <Input id={id} shape={of} value={value} path={path} />
      <Marks path={path} />
    </div>
  );
}

function Items({ shape, value, path }: Place<Extract<Schema, { kind: "list" }>>) {
  const items = Array.isArray(value) ? value : [];
  return (
    <ol class="items">
      {items.map((item, index) => {
        const at = [...path, index];
        const name = `${String(path.at(-1) ?? "")}[${index}]`;
        return (
          <li key={index}>
            <span class="num">{index}</span>
            <div class="item">
              {shape.of.kind === "object" ? (
                <Members shape={shape.of} value={item} path={at} />
              ) : (
                <Input shape={typeof item === "string" ? shape.of : guess(item)} value={item} path={at} label={name} />
              )}
              <Marks path={at} />
            </div>
            <button type="button" class="small" aria-label={t("build.remove", { name })} onClick={() => put(at, undefined)}>
              ×
            </button>
          </li>
        );
      })}
      <li>
        <button type="button" class="quiet" onClick={() => put([...path, items.length], blankValue(shape.of))}>
          + {t("build.add", { name: String(path.at(-1) ?? "") })}
        </button>
      </li>
    </ol>
  );
}

function NewMember({ path, taken }: { path: Step[]; taken: string[] }) {
  const name = useSignal("");
  const add = () => {
    if (name.value === "" || taken.includes(name.value)) return;
    put([...path, name.value], "");
    name.value = "";
  };
  return (
    <div class="row">
      <input
        type="text"
        class="grow"
        placeholder={t("build.argument.new")}
        aria-label={t("build.argument.new")}
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") add();
        }}
      />
      <button type="button" class="quiet" onClick={add}>
        +
      </button>
    </div>
  );
}

function Input({ shape, value, path, id, label }: Place & { id?: string; label?: string }) {
  const list = useId();
  const isEntered = useSignal(false);
  const isWrong = marksByPath.value.get(key(path))?.some((mark) => mark.severity === "error") ?? false;
  const common = { id, "aria-label": label, "aria-invalid": isWrong } as const;
  const absent = value === undefined;
  if (!absent && !fits(shape, value)) return <JsonInput {...common} value={value} path={path} />;
  switch (shape.kind) {
    case "text":
      return (
        <textarea
          {...common}
          class="words"
          rows={Math.min(8, 2 + Math.floor(String(value ?? "").length / 60))}
          value={String(value ?? "")}
          onInput={(event) => put(path, event.currentTarget.value)}
        />
      );
    case "flag":
      return (
        <select
          {...common}
          value={absent ? "" : String(value)}
          onChange={(event) => put(path, event.currentTarget.value === "" ? undefined : event.currentTarget.value === "true")}
        >
          <option value="">{t("build.absent")}</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      );
    case "choice":
      return (
        <select {...common} value={String(value ?? "")} onChange={(event) => put(path, event.currentTarget.value)}>
          {absent && <option value="">{t("build.absent")}</option>}
          {typeof value === "string" && !shape.values.includes(value) && <option value={value}>{visibleText(value)}</option>}
          {shape.values.map((one) => (
            <option value={one}>{one}</option>
          ))}
        </select>
      );
    case "number":
      return (
        <input
          {...common}
          type="number"
          value={absent ? "" : String(value)}
          onInput={(event) => {
            const given = parse(event.currentTarget.value);
            put(path, event.currentTarget.value === "" ? undefined : given.ok ? given.value : event.currentTarget.value);
          }}
        />
      );
    case "json":
      return <JsonInput {...common} value={value} path={path} />;
    case "line":
    case "profile":
    case "agent":
    case "box":
    case "card_type":
    case "argument": {
      // listing all boxes at every field would take quadratic space
      const wanted = shape.kind === "profile" && path.at(-1) === "target_ref" ? targetShape(path) : shape;
      const choices = isEntered.value ? choicesFor(wanted) : [];
      return (
        <>
          <input
            {...common}
            type="text"
            list={choices.length > 0 ? list : undefined}
            spellcheck={false}
            autocomplete="off"
            value={String(value ?? "")}
            onFocus={() => (isEntered.value = true)}
            onBlur={() => (isEntered.value = false)}
            onInput={(event) =>
              put(path, event.currentTarget.value === "" && typeof path.at(-1) !== "number" ? undefined : event.currentTarget.value)
            }
          />
          {choices.length > 0 && (
            <datalist id={list}>
              {choices.map((choice) => (
                <option value={choice.value} label={visibleText(choice.note ?? "")} />
              ))}
            </datalist>
          )}
        </>
      );
    }
    case "list":
    case "object":
      return null;
  }
}

/** Returns the shape of a target: a profile for a new agent, otherwise an agent. */
function targetShape(path: Step[]): Schema {
  const parsed = parsedCall.peek();
  let here: Json | undefined = parsed?.ok === true ? parsed.value : undefined;
  for (const step of path.slice(0, -1)) here = (here as Record<Step, Json> | undefined)?.[step];
  const strategy = (here as Record<string, Json> | undefined)?.target_strategy;
  return { kind: strategy === "reuse" || strategy === "clone" ? "agent" : "profile" };
}

function fits(shape: Schema, value: Json): boolean {
  switch (shape.kind) {
    case "flag":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    case "json":
    case "list":
    case "object":
      return true;
    default:
      return typeof value === "string";
  }
}

/** Any value as JSON; invalid text is not applied. */
function JsonInput({
  value,
  path,
  ...common
}: {
  value: Json | undefined;
  path: Step[];
  id?: string | undefined;
  "aria-label"?: string | undefined;
  "aria-invalid": boolean;
}) {
  const text = useSignal(value === undefined ? "" : write(value));
  const broken = useSignal("");
  const last = useSignal(text.value);
  const outside = value === undefined ? "" : write(value);
  if (outside !== last.value && broken.value === "") {
    last.value = outside;
    text.value = outside;
  }
  return (
    <>
      <textarea
        {...common}
        rows={Math.min(8, text.value.split("\n").length)}
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          if (text.value.trim() === "") {
            broken.value = "";
            put(path, undefined);
            return;
          }
          const parsed = parse(text.value);
          broken.value = parsed.ok ? "" : parsed.message;
          if (!parsed.ok) return;
          last.value = write(parsed.value);
          put(path, parsed.value);
        }}
      />
      {broken.value !== "" && (
        <p class="mark error">
          <Plain text={broken.value} />
        </p>
      )}
    </>
  );
}

function Marks({ path }: { path: Step[] }) {
  const found = marksByPath.value.get(key(path));
  if (found === undefined) return null;
  return (
    <>
      {found.map((mark) => (
        <p class={`mark ${mark.severity}`} role={mark.severity === "error" ? "alert" : undefined}>
          <code>{mark.code}</code> <Plain text={mark.message} />
        </p>
      ))}
    </>
  );
}
