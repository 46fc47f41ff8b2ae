// Where the tokens of a step are, and its tools.
import type { PartKind, StepDetail, TimelineStep } from "tuckbox/web";
import { number, percent, t } from "../../i18n/lazy.ts";
import { Name, visibleText } from "../../text/plain.tsx";
import { overview, short } from "../../timeline/state.ts";

/** The number of tools or files listed below a kind. */
const MAX_LISTED = 12;
/** The number of blocks below a kind in the treemap. */
const MAX_LEAVES = 40;

interface Block {
  label: string;
  kind: PartKind;
  tokens: number;
  inner: Block[];
}

/** Returns kinds, in each its tools, in each its files, the largest first. */
function blocks(groups: StepDetail["groups"]): Block[] {
  const root: Block[] = [];
  for (const { kind, tool, file, tokens } of groups) {
    let list = root;
    for (const label of [t(`timeline.kind.${kind}`), tool, file]) {
      if (label === null) break;
      let block = list.find((one) => one.label === label);
      if (block === undefined) {
        block = { label, kind, tokens: 0, inner: [] };
        list.push(block);
      }
      block.tokens += tokens;
      list = block.inner;
    }
  }
  const sorted = (list: Block[]): Block[] =>
    list.toSorted((a, b) => b.tokens - a.tokens).map((block) => ({ ...block, inner: sorted(block.inner) }));
  return sorted(root).filter(({ tokens }) => tokens > 0);
}

/** Returns the files of the tools of a kind, the tools without files, or the rest of the kind. */
function leaves({ tokens, inner: tools }: Block): { label: string; tokens: number }[] {
  const found = tools.flatMap(({ label, tokens: all, inner: files }) => {
    const named = files.map((file) => ({ label: `${label} ${visibleText(file.label)}`, tokens: file.tokens }));
    const rest = all - files.reduce((sum, file) => sum + file.tokens, 0);
    return rest > 0 ? [...named, { label, tokens: rest }] : named;
  });
  const rest = tokens - found.reduce((sum, leaf) => sum + leaf.tokens, 0);
  const all = rest > 0 ? [...found, { label: "", tokens: rest }] : found;
  return all.toSorted((a, b) => b.tokens - a.tokens).slice(0, MAX_LEAVES);
}

export function TokensTab({ detail, one }: { detail: StepDetail; one: TimelineStep }) {
  const all = blocks(detail.groups);
  const sum = all.reduce((total, { tokens }) => total + tokens, 0);
  const { input } = one.recorded;
  return (
    <>
      <p class="tl-facts">
        {input === null
          ? t("timeline.input.estimated", { n: number(sum) })
          : t("timeline.tokens.recorded", { n: number(input), m: number(sum) })}
        {detail.residual !== null && ` · ${t("timeline.tokens.residual", { n: number(detail.residual) })}`}
      </p>
      <div class="tl-map" role="img" aria-label={t("timeline.tokens.label")}>
        {all.map((block) => (
          <div
            class="tl-map-kind"
            style={{ flexGrow: block.tokens }}
            data-part={block.kind}
            title={`${block.label} ${number(block.tokens)}`}
          >
            <b>{block.label}</b>
            {leaves(block).map(({ label, tokens }) => (
              <span style={{ flexGrow: tokens }} title={`${block.label} · ${label} ${number(tokens)}`}>
                {label}
              </span>
            ))}
          </div>
        ))}
      </div>
      <div class="tl-two">
        <table class="tl-table">
          <thead>
            <tr>
              <th scope="col">{t("timeline.tokens.label")}</th>
              <th scope="col" class="tokens">
                {t("timeline.detail.tokens")}
              </th>
              <th scope="col" class="tokens">
                {t("timeline.tokens.share")}
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map((block) => (
              <>
                <TokenRow block={block} sum={sum} depth={0} />
                {block.inner.slice(0, MAX_LISTED).map((inner) => (
                  <TokenRow block={inner} sum={sum} depth={1} />
                ))}
              </>
            ))}
          </tbody>
        </table>
        {detail.files.length > 0 && (
          <table class="tl-table">
            <thead>
              <tr>
                <th scope="col">{t("timeline.tokens.files")}</th>
                <th scope="col" class="tokens">
                  {t("timeline.detail.resent")}
                </th>
                <th scope="col" class="tokens">
                  {t("timeline.detail.tokens")}
                </th>
              </tr>
            </thead>
            <tbody>
              {detail.files.slice(0, 40).map(({ file, times, tokens }) => (
                <tr>
                  <th scope="row">
                    <Name text={file} />
                  </th>
                  <td class="tokens muted">{t("timeline.tokens.times", { n: number(times) })}</td>
                  <td class="tokens">{number(tokens)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </>
  );
}

function TokenRow({ block, sum, depth }: { block: Block; sum: number; depth: number }) {
  return (
    <tr data-depth={depth}>
      <th scope="row">
        {depth === 0 && <i class="swatch" data-part={block.kind} />} <Name text={block.label} />
      </th>
      <td class="tokens">{number(block.tokens)}</td>
      <td class="tokens muted">{percent(block.tokens / Math.max(1, sum))}</td>
    </tr>
  );
}

export function ToolsTab({ detail, one }: { detail: StepDetail; one: TimelineStep }) {
  const { tools } = detail;
  if (tools.list.length === 0) return <p class="muted">{t("timeline.tools.none")}</p>;
  const steps = overview.value?.agents[one.agent]?.steps ?? 1;
  return (
    <>
      {!tools.known && <p class="muted">{t("timeline.tools.unknown")}</p>}
      {tools.unused_tokens > 0 && (
        <p class="tl-save">
          {t("timeline.tools.save", {
            n: tools.unused,
            tokens: number(tools.unused_tokens),
            steps: number(steps),
            all: short(tools.unused_tokens_in_all),
          })}
        </p>
      )}
      <table class="tl-table">
        <thead>
          <tr>
            <th scope="col">{t("timeline.tools.name")}</th>
            <th scope="col" class="tokens">
              {t("timeline.tools.size")}
            </th>
            <th scope="col" class="tokens">
              {t("timeline.tools.calls")}
            </th>
            <th scope="col" class="tokens">
              {t("timeline.tools.results")}
            </th>
          </tr>
        </thead>
        <tbody>
          {tools.list.map((tool) => (
            <tr data-unused={tool.calls === 0}>
              <th scope="row" title={tool.description ?? undefined}>
                <Name text={tool.name} />
              </th>
              <td class="tokens">
                {tool.tokens === null ? <span class="muted">{t("timeline.unknown.value")}</span> : number(tool.tokens)}
              </td>
              <td class="tokens">
                {tool.calls === 0 ? (
                  <span class="tl-never">{t("timeline.tools.never")}</span>
                ) : (
                  <>
                    {number(tool.calls)}
                    {tool.failed > 0 && <span class="tl-bad"> · {t("timeline.tools.failed", { n: number(tool.failed) })}</span>}
                  </>
                )}
              </td>
              <td class="tokens">{number(tool.result_tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
