// A select for thousands of options: some are listed, the others can be searched.
import { useSignal } from "@preact/signals";
import { number, t } from "../../i18n/lazy.ts";
import { visibleText } from "../../text/plain.tsx";

const MAX_LISTED = 400;

export interface Option {
  what: string;
  text: string;
  /** The heading of the option; options of one heading are consecutive. */
  group?: string;
}

interface Props {
  label: string;
  options: readonly Option[];
  chosen: string;
  onChange: (what: string) => void;
}

export function SearchSelect({ label, options, chosen, onChange }: Props) {
  const find = useSignal("");
  const wanted = find.value.trim().toLowerCase();
  const fitting = wanted === "" ? options : options.filter(({ text }) => text.toLowerCase().includes(wanted));
  const listed = fitting.slice(0, MAX_LISTED);
  // the selected option is always listed
  const now = listed.some(({ what }) => what === chosen) ? undefined : options.find(({ what }) => what === chosen);
  if (now !== undefined) listed.push(now);
  return (
    <>
      {options.length > MAX_LISTED && (
        <input
          type="search"
          aria-label={`${label}: ${t("compare.find")}`}
          placeholder={t("boxes.many", { n: number(options.length - MAX_LISTED) })}
          value={find.value}
          onInput={(event) => (find.value = event.currentTarget.value)}
        />
      )}
      <label class="choice">
        <span>{label}</span>
        <select value={chosen} onChange={(event) => onChange(event.currentTarget.value)}>
          {Array.from(new Set(listed.map(({ group }) => group)), (group) => {
            const those = listed
              .filter((one) => one.group === group)
              .map(({ what, text }) => <option value={what}>{visibleText(text)}</option>);
            return group === undefined ? those : <optgroup label={group}>{those}</optgroup>;
          })}
        </select>
      </label>
    </>
  );
}
