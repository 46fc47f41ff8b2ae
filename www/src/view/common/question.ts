// Repeats a question whenever its signals change; only the newest answer counts.
import { effect, type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { errorData, STOPPED } from "../../engine/client.ts";
import type { ErrorData } from "../../engine/protocol.ts";

export interface QuestionState<T> {
  answer: Signal<T | null>;
  error: Signal<ErrorData | null>;
  busy: Signal<boolean>;
}

/**
 * Asks `question` now and whenever a signal it reads changes. One question runs at a time and only the newest waits, so
 * a slider or a keyboard never fills a queue.
 */
export function useQuestion<T>(question: () => (() => Promise<T>) | null): QuestionState<T> {
  const answer = useSignal<T | null>(null);
  const error = useSignal<ErrorData | null>(null);
  const busy = useSignal(false);
  const waiting = useSignal<{ ask: (() => Promise<T>) | null; running: boolean }>({ ask: null, running: false });
  const newest = useRef(question);
  newest.current = question;
  // a component's own effect would run only after the next frame
  useEffect(
    () =>
      effect(() => {
        const state = waiting.peek();
        state.ask = newest.current();
        if (state.running || state.ask === null) return;
        state.running = true;
        busy.value = true;
        void (async () => {
          // signals that change together cause one question
          await null;
          while (state.ask !== null) {
            const ask: () => Promise<T> = state.ask;
            state.ask = null;
            try {
              answer.value = await ask();
              error.value = null;
            } catch (thrown) {
              const found = errorData(thrown);
              if (state.ask === null && found.code !== STOPPED) error.value = found;
            }
          }
          state.running = false;
          busy.value = false;
        })();
      }),
    [],
  );
  return { answer, error, busy };
}
