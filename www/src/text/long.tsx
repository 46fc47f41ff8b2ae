// Text of any length: first its beginning, on request all of it, of which only visible pieces are rendered. A browser
// needs 30 seconds to lay out 5 MB in one piece.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { number, t } from "../i18n/lazy.ts";
import { begin } from "../pending.ts";
import { Plain } from "./plain.tsx";

/** The length of a piece in characters; the end of a line can double it. */
const PIECE_LENGTH = 8_000;
/** The assumed line length of a piece that is not rendered yet. */
const LINE_LENGTH = 60;

interface Props {
  whole: string;
  /** How many characters to show until the user asks for all. */
  first: number;
  /** `words` flows with the surrounding content; the others scroll. */
  class: "content" | "raw" | "words";
}

export function Long({ whole, first, class: look }: Props) {
  const all = useSignal(false);
  const isCut = whole.length > first && !all.value;
  return (
    <>
      <pre class={look} tabIndex={look === "words" ? undefined : 0}>
        <Pieces whole={isCut ? whole.slice(0, first) : whole} />
      </pre>
      {isCut && (
        <button type="button" class="quiet" onClick={() => (all.value = true)}>
          {t("content.more", { n: number(whole.length) })}
        </button>
      )}
    </>
  );
}

function Pieces({ whole }: { whole: string }) {
  const pieces = useMemo(() => splitPieces(whole), [whole]);
  if (pieces.length < 2) return <Plain text={whole} />;
  return (
    <>
      {pieces.map((text, at) => (
        <Piece key={at} text={text} />
      ))}
    </>
  );
}

/** A piece of text, rendered when it comes near the visible area. */
function Piece({ text }: { text: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const isNear = useSignal(false);
  useEffect(() => {
    const at = place.current;
    if (at === null) return;
    // the browser reports once for every element that it observes
    const end = begin();
    const watch = new IntersectionObserver(
      (entries) => {
        end();
        if (!entries.some((one) => one.isIntersecting)) return;
        isNear.value = true;
        watch.disconnect();
      },
      { rootMargin: "600px" },
    );
    watch.observe(at);
    return () => {
      watch.disconnect();
      end();
    };
  }, []);
  const lines = Math.ceil(text.length / LINE_LENGTH);
  return (
    <span ref={place} class="piece" style={isNear.value ? {} : { minHeight: `${lines * 1.5}em` }}>
      {isNear.value && <Plain text={text} />}
    </span>
  );
}

/** Splits text into pieces, at the end of a line or of a word if possible. */
export function splitPieces(whole: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < whole.length; ) {
    const end = Math.min(at + PIECE_LENGTH, whole.length);
    const to = end === whole.length ? end : pieceEnd(whole, at, end);
    pieces.push(whole.slice(at, to));
    at = to;
  }
  return pieces;
}

function pieceEnd(whole: string, at: number, end: number): number {
  const window = whole.slice(end, end + PIECE_LENGTH);
  const line = window.indexOf("\n");
  if (line >= 0) return end + line + 1;
  const space = whole.lastIndexOf(" ", end);
  if (space > at) return space + 1;
  // never inside a surrogate pair
  const half = whole.charCodeAt(end - 1);
  return half >= 0xd800 && half < 0xdc00 ? end + 1 : end;
}
