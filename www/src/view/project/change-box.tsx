// Changes a box, with a preview first: fork, append, replace, concatenate, delete; and adds cards.
import { signal } from "@preact/signals";
import { compareSides, compareWithCall } from "../../comparison.ts";
import type { Json, Receipt } from "../../engine/protocol.ts";
import { type Key, t } from "../../i18n/lazy.ts";
import { project, view } from "../../state.ts";
import { write } from "../../text/json.ts";
import { visibleText } from "../../text/plain.tsx";
import { propose } from "../commit/propose.ts";

const ACTIONS = ["fork_box", "append_to_box", "replace_box", "concat_boxes", "put_cards", "delete_cards", "delete_box"] as const;
type Action = (typeof ACTIONS)[number];

const action = signal<Action>("fork_box");

interface Props {
  box_id: string;
  cards: number;
  onMade: (box_id: string) => void;
}

/** The form of one change. Nothing is written before the user confirms the preview. */
export function ChangeBox({ box_id, cards, onMade }: Props) {
  const act = action.value;
  return (
    <form
      class="change-box"
      aria-label={t("change.label")}
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const field = (name: string) => String(data.get(name) ?? "").trim();
        start(act, { box_id, onMade }, field);
      }}
    >
      <label class="choice">
        <span>{t("change.what")}</span>
        <select value={act} onChange={(event) => (action.value = event.currentTarget.value as Action)}>
          {ACTIONS.map((name) => (
            <option value={name}>{t(`change.${name}` as Key)}</option>
          ))}
        </select>
      </label>
      <Fields action={act} box_id={box_id} cards={cards} />
      <button type="submit" class="quiet">
        {t("change.preview")}
      </button>
    </form>
  );
}

function Fields({ action: act, box_id, cards }: { action: Action; box_id: string; cards: number }) {
  switch (act) {
    case "fork_box":
      return (
        <label class="choice">
          <span>{t("boxes.take")}</span>
          <input name="take" type="number" min="0" max={cards} placeholder={String(cards)} />
        </label>
      );
    case "append_to_box":
    case "replace_box":
    case "delete_cards":
      return (
        <label class="choice grow">
          <span>{t("change.card_ids")}</span>
          <textarea name="card_ids" rows={2} required spellcheck={false} placeholder={t("change.card_ids.hint")} />
        </label>
      );
    case "concat_boxes":
      return (
        <label class="choice grow">
          <span>{t("change.with")}</span>
          <input name="box_ids" type="text" required list="change-boxes" spellcheck={false} placeholder={t("change.with.hint")} />
          <datalist id="change-boxes">
            {(project.value?.boxes ?? [])
              .slice(0, 500)
              .filter((box) => box.box_id !== box_id)
              .map((box) => (
                <option value={box.box_id} label={visibleText(box.box_id)} />
              ))}
          </datalist>
        </label>
      );
    case "put_cards":
      return (
        <>
          <label class="choice">
            <span>{t("why.type")}</span>
            <input name="type" type="text" required value="note" spellcheck={false} />
          </label>
          <label class="choice">
            <span>{t("why.role")}</span>
            <select name="role">
              {["user", "assistant", "system", "tool"].map((role) => (
                <option>{role}</option>
              ))}
            </select>
          </label>
          <label class="choice grow">
            <span>{t("why.content")}</span>
            <textarea name="text" rows={2} required />
          </label>
        </>
      );
    case "delete_box":
      return null;
  }
}

/** Splits a list of ids at spaces and commas. */
function ids(text: string): string[] {
  return text.split(/[\s,]+/).filter((id) => id !== "");
}

function start(act: Action, { box_id, onMade }: Pick<Props, "box_id" | "onMade">, field: (name: string) => string): void {
  const made = (receipt: Receipt) => {
    const first = receipt.boxes[0]?.box_id;
    if (first !== undefined) onMade(first);
  };
  const title = t("change.title", { what: t(`change.${act}` as Key), box: box_id });
  const go = (call: { [key: string]: Json }, more: object = { onDone: made }) =>
    propose({ title, call: write({ op: act, ...call }), ...more });
  switch (act) {
    case "fork_box": {
      const take = field("take") === "" ? {} : { take: Number(field("take")) };
      const call = { op: act, box_id, ...take };
      go(
        { box_id, ...take },
        {
          onDone: (receipt: Receipt) => {
            made(receipt);
            const fork = receipt.boxes[0]?.box_id;
            if (fork === undefined) return;
            compareSides(`box:${box_id}`, `box:${fork}`);
            view.value = "compare";
          },
          alternative: {
            label: t("change.compare"),
            run: () => {
              compareWithCall(`box:${box_id}`, write(call), title);
              view.value = "compare";
            },
          },
        },
      );
      return;
    }
    case "append_to_box":
    case "replace_box":
      go({ box_id, card_ids: ids(field("card_ids")) });
      return;
    case "delete_cards":
      go({ card_ids: ids(field("card_ids")) }, {});
      return;
    case "concat_boxes":
      go({ box_ids: [box_id, ...ids(field("box_ids"))] });
      return;
    case "put_cards":
      go(
        {
          cards: [
            {
              type: field("type"),
              author_id: "inspector",
              metadata: { role: field("role") },
              content: { __type__: "TextContent", text: field("text") },
            },
          ],
        },
        {},
      );
      return;
    case "delete_box":
      go({ box_id }, {});
      return;
  }
}
