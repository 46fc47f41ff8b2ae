// How a request is made and counted, shared by all views.
import { computed, signal } from "@preact/signals";
import { COUNTINGS, type Counting, PROVIDERS, type Provider, type RequestTerms } from "./engine/protocol.ts";
import { loadChoice, loadPreference, savePreference } from "./preferences.ts";

export const provider = signal<Provider>(loadChoice("provider", PROVIDERS, "openai_chat"));
export const counting = signal<Counting>(loadChoice("counting", COUNTINGS, "estimate"));
export const models = signal<Record<Provider, string>>({
  neutral: "",
  openai_chat: "gpt-5",
  openai_responses: "gpt-5",
  anthropic: "claude-opus-4-1",
  gemini: "gemini-2.5-pro",
});

/** The size of the model's context window in tokens. */
export const windowSize = signal<number>(count("window") ?? 4_096);
/** The tokens reserved for the answer; `null` sets no limit. */
export const maxOutput = signal<number | null>(count("max_output"));

function count(name: string): number | null {
  const found = Number(loadPreference(name) ?? "");
  return Number.isSafeInteger(found) && found > 0 ? found : null;
}

export function setProvider(next: Provider): void {
  provider.value = next;
  savePreference("provider", next);
}

export function setCounting(next: Counting): void {
  counting.value = next;
  savePreference("counting", next);
}

export function setWindow(next: number): void {
  windowSize.value = next;
  savePreference("window", String(next));
}

export function setMaxOutput(next: number | null): void {
  maxOutput.value = next;
  savePreference("max_output", next === null ? "" : String(next));
}

export const terms = computed<RequestTerms>(() => {
  const model = models.value[provider.value];
  return {
    options: {
      provider: provider.value,
      // a body needs a model: show a placeholder
      ...(model === "" && provider.value === "neutral" ? {} : { model: model === "" ? "your-model" : model }),
      ...(maxOutput.value === null ? {} : { max_output_tokens: maxOutput.value }),
    },
    counting: counting.value,
  };
});
