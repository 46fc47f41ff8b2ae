/** Records the work of a worker. `around` runs `work` inside a span; `report` adds attributes to the span. */
export interface Telemetry {
  around<Value>(
    kind: "step" | "model" | "tool",
    subject: string,
    attributes: { readonly [name: string]: string | number | boolean },
    headers: { readonly [name: string]: string } | undefined,
    work: (report: (more: { readonly [name: string]: string | number | boolean }) => void) => Promise<Value>,
  ): Promise<Value>;
}

/**
 * Returns spans (`invoke_agent`, `chat`, `execute_tool`) and metrics (`gen_ai.client.operation.duration`,
 * `gen_ai.client.token.usage`) for the host's `@opentelemetry/api`. Spans contain no prompts or answers.
 */
export declare function telemetry(
  api: { readonly trace: any; readonly metrics: any; readonly context: any; readonly propagation: any; readonly SpanStatusCode: any },
  options?: { readonly name?: string },
): Telemetry;
