// The contents of the project: boxes with their lineage, profiles, agents.
import { computed, signal } from "@preact/signals";
import { ask } from "../../engine/client.ts";
import type { ProjectInfo } from "../../engine/protocol.ts";
import { cards, codeLabel, number, t } from "../../i18n/lazy.ts";
import { project, show } from "../../state.ts";
import { Name } from "../../text/plain.tsx";
import { mayCommit } from "../commit/propose.ts";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";
import { Cells } from "../context/card-list.tsx";
import { ChangeBox } from "./change-box.tsx";

const filter = signal("");
const chosen = signal<string | null>(null);

type Box = ProjectInfo["boxes"][number];

const boxes = computed(() => new Map((project.value?.boxes ?? []).map((box) => [box.box_id, box])));
const children = computed(() => {
  const found = new Map<string, string[]>();
  for (const box of project.value?.boxes ?? []) {
    for (const parent of box.parent_ids) found.set(parent, [...(found.get(parent) ?? []), box.box_id]);
  }
  return found;
});

const MAX_LISTED = 500;

function More({ than }: { than: readonly unknown[] }) {
  if (than.length <= MAX_LISTED) return null;
  return <p class="muted">{t("boxes.many", { n: number(than.length - MAX_LISTED) })}</p>;
}

export function Boxes() {
  const info = project.value;
  if (info === null) return null;
  const text = filter.value.trim().toLowerCase();
  const fits = (...names: (string | null)[]) => names.some((name) => name?.toLowerCase().includes(text) ?? false);
  const found = info.boxes.filter((box) => fits(box.box_id));
  const agents = info.agents.filter((agent) => fits(agent.agent_id, agent.display_name));
  const profiles = info.profiles.filter((profile) => fits(profile.name));
  const selected = boxes.value.get(chosen.value ?? "") ?? found[0];
  return (
    <section class="browse" aria-label={t("boxes.label")}>
      <div class="browse-side">
        <input
          type="search"
          value={filter.value}
          placeholder={t("boxes.search")}
          aria-label={t("boxes.search")}
          spellcheck={false}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
        <h2>
          {t("nav.boxes")} <span class="num">{number(found.length)}</span>
        </h2>
        <ul>
          {found.slice(0, MAX_LISTED).map((box) => (
            <li>
              <button
                type="button"
                class="entry one"
                aria-current={selected?.box_id === box.box_id ? "true" : undefined}
                onClick={() => (chosen.value = box.box_id)}
              >
                <span class="entry-title mono">
                  <Name text={box.box_id} />
                </span>
                <span class="num">{number(box.cards)}</span>
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && text !== "" && (
          <button type="button" class="quiet" onClick={() => show({ kind: "box", box_id: filter.value.trim() })}>
            <Name text={t("boxes.ask", { box: filter.value.trim() })} />
          </button>
        )}
        <More than={found} />
        <h2>{t("nav.agents")}</h2>
        <ul>
          {agents.slice(0, MAX_LISTED).map((agent) => (
            <li>
              <button type="button" class="entry one" onClick={() => show({ kind: "agent", agent_id: agent.agent_id })}>
                <span class="entry-title">
                  <Name text={agent.display_name ?? agent.agent_id} />{" "}
                  <span class="muted mono">
                    <Name text={agent.agent_id} />
                  </span>
                </span>
                <span class="num">{agent.status === null ? "–" : codeLabel("run", agent.status)}</span>
              </button>
            </li>
          ))}
        </ul>
        <More than={agents} />
        <h2>{t("nav.profiles")}</h2>
        <ul>
          {profiles.slice(0, MAX_LISTED).map((profile) => (
            <li>
              <button
                type="button"
                class="entry one"
                onClick={() => profile.profile_box_id !== null && show({ kind: "box", box_id: profile.profile_box_id })}
              >
                <span class="entry-title">
                  <Name text={profile.name} />
                </span>
                <span class="num mono">
                  <Name text={profile.profile_box_id ?? "–"} />
                </span>
              </button>
            </li>
          ))}
        </ul>
        <More than={profiles} />
      </div>
      {selected !== undefined ? <BoxPane box={selected} /> : <p class="empty">{t("boxes.none")}</p>}
    </section>
  );
}

function BoxPane({ box }: { box: Box }) {
  return (
    <div class="browse-main">
      <header class="heading">
        <div>
          <h2 class="mono">
            <Name text={box.box_id} />
          </h2>
          <p class="muted">{cards(box.cards)}</p>
        </div>
        <div class="row">
          <button type="button" class="quiet" onClick={() => show({ kind: "box", box_id: box.box_id })}>
            {t("boxes.open")}
          </button>
        </div>
      </header>
      {mayCommit() && <ChangeBox key={box.box_id} box_id={box.box_id} cards={box.cards} onMade={(made) => (chosen.value = made)} />}
      <section>
        <h3>{t("boxes.lineage")}</h3>
        <Lineage box={box} />
      </section>
      <BoxCards key={box.box_id} box={box} />
    </div>
  );
}

const FIRST = 50;

/** The first cards of a box, with a link to all. */
function BoxCards({ box }: { box: Box }) {
  const { answer, error } = useQuestion(() => () => ask("inspect", { subject: { box_id: box.box_id }, shown: 0, from: 0, to: FIRST }));
  if (error.value !== null) return <ErrorNote title={t("error.title")} error={error.value} />;
  const rows = answer.value?.rows ?? [];
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>{t("tab.cards")}</h3>
      <div class="run-rows framed">
        {rows.map((row) => (
          <div class="line still" key={row.position} data-kind={row.kind} data-presence={row.presence}>
            <Cells row={row} />
          </div>
        ))}
      </div>
      {box.cards > FIRST && (
        <button type="button" class="quiet" onClick={() => show({ kind: "box", box_id: box.box_id })}>
          {t("messages.more", { n: number(box.cards - FIRST) })}
        </button>
      )}
    </section>
  );
}

const NODE = { width: 210, height: 40, gapX: 60, gapY: 14 };
const DEPTH = 6;

interface Node {
  box_id: string;
  column: number;
  row: number;
}

/** Returns ancestors to the left and descendants to the right, each once. */
function layout(start: string): { nodes: Node[]; edges: [string, string][] } {
  const columns = new Map<number, string[]>([[0, [start]]]);
  const placed = new Map<string, number>([[start, 0]]);
  const edges: [string, string][] = [];
  const spread = (direction: -1 | 1, next: (id: string) => string[]) => {
    let front = [start];
    for (let step = 1; step <= DEPTH && front.length > 0; step += 1) {
      const column = direction * step;
      const reached: string[] = [];
      for (const id of front) {
        for (const other of next(id)) {
          edges.push(direction === -1 ? [other, id] : [id, other]);
          if (placed.has(other)) continue;
          placed.set(other, column);
          reached.push(other);
        }
      }
      if (reached.length > 0) columns.set(column, reached);
      front = reached;
    }
  };
  spread(-1, (id) => boxes.value.get(id)?.parent_ids ?? []);
  spread(1, (id) => children.value.get(id) ?? []);
  const nodes: Node[] = [];
  for (const [column, ids] of columns) nodes.push(...ids.map((box_id, row) => ({ box_id, column, row })));
  return { nodes, edges };
}

function Lineage({ box }: { box: Box }) {
  const { nodes, edges } = layout(box.box_id);
  if (nodes.length === 1) return <p class="muted">{t("boxes.alone")}</p>;
  const first = Math.min(...nodes.map((node) => node.column));
  const height = Math.max(...nodes.map((node) => node.row)) + 1;
  const place = new Map(
    nodes.map((node) => [
      node.box_id,
      {
        x: (node.column - first) * (NODE.width + NODE.gapX),
        y: node.row * (NODE.height + NODE.gapY),
      },
    ]),
  );
  const width = (Math.max(...nodes.map((node) => node.column)) - first + 1) * (NODE.width + NODE.gapX) - NODE.gapX;
  const tall = height * (NODE.height + NODE.gapY);
  return (
    <div class="lineage" role="group" aria-label={t("boxes.lineage")} tabIndex={0}>
      <div class="graph" style={{ width: `${width}px`, height: `${tall}px` }}>
        <svg width={width} height={tall} aria-hidden="true">
          {edges.map(([from, to]) => {
            const [a, b] = [place.get(from), place.get(to)];
            if (a === undefined || b === undefined) return null;
            const [x1, y1, x2, y2] = [a.x + NODE.width, a.y + NODE.height / 2, b.x, b.y + NODE.height / 2];
            const middle = (x1 + x2) / 2;
            return <path d={`M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />;
          })}
        </svg>
        {nodes.map(({ box_id }) => {
          const at = place.get(box_id);
          const known = boxes.value.get(box_id);
          return (
            <button
              type="button"
              class="node"
              aria-current={box_id === box.box_id ? "true" : undefined}
              disabled={known === undefined}
              style={{ left: `${at?.x ?? 0}px`, top: `${at?.y ?? 0}px`, width: `${NODE.width}px`, height: `${NODE.height}px` }}
              onClick={() => (chosen.value = box_id)}
            >
              <span class="mono">
                <Name text={box_id} />
              </span>
              <span class="num">{known === undefined ? t("boxes.gone") : number(known.cards)}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
