// A list that renders only its visible rows. All rows have the height `--row`, so that positions are computed and not
// measured.
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { soon } from "../../pending.ts";

/** The number of rows rendered on either side of the visible ones. */
const AROUND = 10;
/** After a jump they are rendered when the list has rested for this time. */
const IDLE_MS = 100;

interface Props {
  id: string;
  count: number;
  label: string;
  active: number | null;
  /** Renders a row; `style` positions it, and `key` reuses the nodes of a row that left. */
  row: (position: number, style: JSX.CSSProperties, key: number) => ComponentChildren;
  /** Called with the range of rendered rows. */
  onRange?: (from: number, to: number) => void;
  /** Returns the number in the id of a row; by default its index. */
  idOf?: (index: number) => number;
  /** Scrolls to the top whenever this changes. */
  of: unknown;
  children?: ComponentChildren;
}

export function Virtual({ id, count, label, active, row, onRange, idOf = (index) => index, of, children }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useSignal({ top: 0, height: 800, row: 34, around: AROUND });
  const cancelIdle = useRef(() => {});
  const following = useRef(signal(active));
  following.current.value = active;

  const measure = () => {
    const at = scroller.current;
    if (at === null) return;
    const height = Number.parseFloat(getComputedStyle(at).getPropertyValue("--row")) || 34;
    viewport.value = { top: at.scrollTop, height: at.clientHeight, row: height, around: AROUND };
  };
  // scrolling changes no size, and measuring would force a layout in every frame
  const follow = () => {
    if (scroller.current === null) return;
    const [before, top] = [viewport.peek(), scroller.current.scrollTop];
    const isLeap = Math.abs(top - before.top) > before.height;
    viewport.value = { ...before, top, around: isLeap ? 0 : before.around };
    if (!isLeap) return;
    cancelIdle.current();
    cancelIdle.current = soon(() => (viewport.value = { ...viewport.peek(), around: AROUND }), IDLE_MS);
  };
  useLayoutEffect(() => {
    measure();
    const watch = new ResizeObserver(measure);
    if (scroller.current !== null) watch.observe(scroller.current);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [of]);
  useSignalEffect(() => {
    const at = scroller.current;
    const position = following.current.value;
    if (at === null || position === null) return;
    const { row: height } = viewport.peek();
    if (position * height < at.scrollTop) at.scrollTop = position * height;
    else if ((position + 1) * height > at.scrollTop + at.clientHeight) {
      at.scrollTop = (position + 1) * height - at.clientHeight;
    }
  });

  const { top, height, row: rowHeight, around } = viewport.value;
  const from = Math.max(0, Math.floor(top / rowHeight) - around);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + around);
  useLayoutEffect(() => onRange?.(from, to));

  const places = useRef<Places>(new Map());
  places.current = placesFor(places.current, from, to, rowHeight);
  const rows = Array.from(places.current, ([position, { key, style }]) => row(position, style, key));
  return (
    <div
      class="scroller"
      id={id}
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={active === null ? undefined : `${id}-${idOf(active)}`}
      onScroll={follow}
    >
      {children}
      <div class="canvas" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {rows}
      </div>
    </div>
  );
}

/** The key and the style of each rendered row. A row that stays has the same style, so it is not rendered again. */
type Places = ReadonlyMap<number, { key: number; style: { transform: string } }>;

/** Returns a place for every row. Its key is its previous one, or that of a row that left. */
function placesFor(before: Places, from: number, to: number, rowHeight: number): Places {
  const free = Array.from(before)
    .filter(([position]) => position < from || position >= to)
    .map(([, { key }]) => key);
  let next = 1 + Math.max(-1, ...Array.from(before.values(), ({ key }) => key));
  let at = 0;
  return new Map(
    Array.from({ length: Math.max(0, to - from) }, (_, index) => {
      const position = from + index;
      const transform = `translateY(${position * rowHeight}px)`;
      const was = before.get(position);
      if (was?.style.transform === transform) return [position, was];
      return [position, { key: was?.key ?? free[at++] ?? next++, style: { transform } }];
    }),
  );
}
