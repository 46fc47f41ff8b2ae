// A lockfile: its entries in a list, and the lines of one entry, base against current.
import { useEffect } from "preact/hooks";
import type { LockedContext } from "tuckbox/web";
import { number, t } from "../../i18n/lazy.ts";
import {
  callCore,
  isCompared,
  type LockEntry,
  type LockVerdict,
  lockfile,
  type OpenLockfile,
  saveLockfile,
  shownEntry,
  shownGroup,
  shownSlot,
} from "../../lock/state.ts";
import { Name } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";
import { Rows } from "./rows.tsx";

/** What the core found: the entries of the file, and the verdict if there are current contexts. */
interface Read {
  readonly of: OpenLockfile;
  readonly entries: readonly LockEntry[];
  readonly current: readonly LockedContext[] | null;
  readonly verdict: LockVerdict | null;
}

async function read(of: OpenLockfile): Promise<Read> {
  const { text: lock, errors, assertions, texts, name: file } = of;
  const entriesOf = async (text: string | undefined) => (text === undefined ? [] : (await callCore("lock_read", { lock: text })).entries);
  const entries = await entriesOf(lock);
  if (!isCompared(of)) return { of, entries, current: null, verdict: null };
  const current = of.entries ?? (await entriesOf(of.other)).map(({ name, block }) => ({ name, block }));
  const given = lock === undefined ? {} : { lock };
  return { of, entries, current, verdict: await callCore("lock_check", { ...given, entries: current, errors, assertions, texts, file }) };
}

export function Lockfile() {
  const { answer, error } = useQuestion(() => {
    const of = lockfile.value;
    return of === null ? null : () => read(of);
  });
  const open = lockfile.value;
  if (open === null) return null;
  const found = answer.value?.of === open ? answer.value : null;
  return (
    <section class="compare lock" aria-label={t("lock.label")}>
      <header class="row lock-head">
        <h2>
          <Name text={open.name} />
        </h2>
        {open.isChanged && (
          <button type="button" class="quiet" onClick={() => saveLockfile(open)}>
            {t("lock.save")}
          </button>
        )}
        <button type="button" class="quiet" onClick={() => (lockfile.value = null)}>
          {t("lock.close")}
        </button>
      </header>
      {error.value !== null && <ErrorNote title={t("lock.failed")} error={error.value} />}
      {found !== null && error.value === null && <Content found={found} />}
    </section>
  );
}

type Status = "same" | "changed" | "added" | "removed" | "failed";

/** An entry of the list. */
interface Listed {
  readonly name: string;
  readonly status: Status | null;
  readonly tokens: number | null;
}

function listed({ entries, verdict }: Read): Listed[] {
  const base = entries.map(({ name, tokens }) => {
    const status: Status | null =
      verdict === null
        ? null
        : verdict.errors.some((one) => one.name === name)
          ? "failed"
          : verdict.removed.includes(name)
            ? "removed"
            : verdict.entries.some((one) => one.name === name)
              ? "changed"
              : "same";
    return { name, status, tokens: tokens.all };
  });
  const added = (verdict?.added ?? []).map((name): Listed => ({ name, status: "added", tokens: null }));
  return [...base, ...added];
}

function Content({ found }: { found: Read }) {
  const { verdict, current, entries } = found;
  const all = listed(found);
  const group = shownGroup.value === null ? undefined : verdict?.groups[shownGroup.value];
  const shown = group === undefined ? all : all.filter(({ name }) => group.entries.includes(name));
  const first = all.find(({ status }) => status !== null && status !== "same") ?? all[0];
  const name = shownEntry.value ?? first?.name ?? null;
  if (name === null) return <p class="muted">{t("lock.empty")}</p>;
  const base = entries.find((entry) => entry.name === name);
  const now = current?.find((entry) => entry.name === name);
  return (
    <>
      {verdict !== null && <Verdict verdict={verdict} />}
      <div class="lock-body">
        <nav aria-label={t("lock.entries")}>
          {group !== undefined && (
            <button type="button" class="quiet" onClick={() => (shownGroup.value = null)}>
              {t("lock.all", { n: number(all.length) })}
            </button>
          )}
          <ul class="lock-entries">
            {shown.map((entry) => (
              <li>
                <button type="button" class="entry" aria-current={entry.name === name} onClick={() => show(entry.name)}>
                  <Name text={entry.name} />
                  {entry.status !== null && entry.status !== "same" && (
                    <span class="lock-status" data-change={entry.status}>
                      {t(`lock.status.${entry.status}`)}
                    </span>
                  )}
                  {entry.tokens !== null && <span class="tokens">{number(entry.tokens)}</span>}
                </button>
              </li>
            ))}
          </ul>
        </nav>
        <Rows
          key={name}
          before={base?.block}
          // without current contexts, an entry is compared with itself
          after={current === null ? base?.block : now?.block}
          details={now?.details}
          texts={found.of.texts}
          isSingle={current === null}
          verdict={verdict}
        />
      </div>
    </>
  );
}

function show(name: string): void {
  shownEntry.value = name;
  shownSlot.value = null;
}

/** The changes by cause. A click lists the contexts of a cause, and shows the change in the first one. */
function Verdict({ verdict }: { verdict: LockVerdict }) {
  const { groups, failures, errors, unmatched } = verdict;
  useEffect(() => {
    if ((shownGroup.peek() ?? 0) >= groups.length) shownGroup.value = null;
  }, [groups]);
  return (
    <div class="lock-verdict">
      <p role="status">{t(`lock.verdict.${verdict.status}`, { n: number(verdict.entries.length), all: number(verdict.contexts) })}</p>
      <ul>
        {groups.map((group, at) => (
          <li>
            <button
              type="button"
              class="lock-group"
              aria-pressed={shownGroup.value === at}
              onClick={() => {
                const [name] = group.entries;
                const changes = verdict.entries.find((entry) => entry.name === name)?.changes;
                shownGroup.value = at;
                shownEntry.value = name ?? null;
                shownSlot.value = changes?.find(({ change, cause }) => change === group.change && cause === group.cause)?.slot ?? null;
              }}
            >
              <Name text={group.title} />
            </button>
          </li>
        ))}
        {failures.map(({ name, assertion, slot, message }) => (
          <li>
            <button
              type="button"
              class="lock-group"
              data-bad
              onClick={() => {
                shownGroup.value = null;
                shownEntry.value = name;
                shownSlot.value = slot ?? null;
              }}
            >
              <Name text={`${name}: ${assertion}: ${message}`} />
            </button>
          </li>
        ))}
        {unmatched.map(({ name, slot }) => (
          <li class="lock-error">
            <Name text={t("lock.unmatched", { name, slot })} />
          </li>
        ))}
        {errors.map(({ name, message }) => (
          <li class="lock-error">
            <Name text={`${name}: ${message}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}
