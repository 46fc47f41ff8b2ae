import type { FrameworkOptions } from "./framework.js";

/**
 * Returns a processor for the `inputProcessors` of a Mastra agent. It records every request. In the mode `assemble` it
 * also drops the messages that do not fit into `limit`. The memory of the agent keeps them.
 *
 * @example
 * const agent = new Agent({ name: "a", instructions, model, inputProcessors: [tuckboxProcessor({ project })] });
 */
export declare function tuckboxProcessor(options: FrameworkOptions<any>): {
  readonly id: string;
  readonly name: string;
  processLLMRequest(args: any): Promise<{ prompt: any }>;
};
