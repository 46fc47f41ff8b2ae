// A list of which only the rows in sight are in the document. Rows have one height, `--row`, so
// that a position is a product and not a measurement.
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const OVERSCAN = 10;

interface Props {
  id: string;
  count: number;
  label: string;
  active: number | null;
  /** Draws a row; `style` puts it into its place. */
  row: (position: number, style: JSX.CSSProperties) => ComponentChildren;
  /** Told which rows are in sight. */
  onSight?: (from: number, to: number) => void;
  /** The number in the id of a row; its place in the list by default. */
  idOf?: (index: number) => number;
  /** Scrolls back to the top whenever this changes. */
  of: unknown;
  children?: ComponentChildren;
}

export function Virtual({ id, count, label, active, row, onSight, idOf = (index) => index, of, children }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const sight = useSignal({ top: 0, height: 800, row: 34 });
  const following = useRef(signal(active));
  following.current.value = active;

  const measure = () => {
    const at = scroller.current;
    if (at === null) return;
    const height = Number.parseFloat(getComputedStyle(at).getPropertyValue("--row")) || 34;
    sight.value = { top: at.scrollTop, height: at.clientHeight, row: height };
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
    const { row: height } = sight.peek();
    if (position * height < at.scrollTop) at.scrollTop = position * height;
    else if ((position + 1) * height > at.scrollTop + at.clientHeight) {
      at.scrollTop = (position + 1) * height - at.clientHeight;
    }
  });

  const { top, height, row: rowHeight } = sight.value;
  const from = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN);
  useLayoutEffect(() => onSight?.(from, to));

  const rows = [];
  for (let position = from; position < to; position += 1) {
    rows.push(row(position, { transform: `translateY(${position * rowHeight}px)` }));
  }
  return (
    <div
      class="scroller"
      id={id}
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={active === null ? undefined : `${id}-${idOf(active)}`}
      onScroll={measure}
    >
      {children}
      <div class="canvas" role="presentation" style={{ height: `${count * rowHeight}px` }}>{rows}</div>
    </div>
  );
}
