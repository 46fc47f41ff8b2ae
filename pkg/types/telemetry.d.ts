/** Records what a worker does. `around` does `work` inside a span; `report` adds attributes to it. */
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
 * Spans (`invoke_agent`, `chat`, `execute_tool`) and metrics (`gen_ai.client.operation.duration`,
 * `gen_ai.client.token.usage`) over the host's own `@opentelemetry/api`. Spans contain no prompt and no answer.
 */
export declare function telemetry(
  api: { readonly trace: any; readonly metrics: any; readonly context: any; readonly propagation: any; readonly SpanStatusCode: any },
  options?: { readonly name?: string },
): Telemetry;
