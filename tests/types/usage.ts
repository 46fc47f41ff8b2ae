// Compiles uses of the package in a strict project without the DOM. Nothing here runs.
import {
  type Answers,
  type ArgumentsOf,
  type Code,
  type CustomRecipe,
  type HandoverCall,
  jsonText,
  type MessagePart,
  memoryStore,
  open,
  parseJson,
  type Reads,
  type Receipt,
  type Store,
  TuckboxError,
  type Workspace,
  type Writes,
} from "tuckbox";
import { countWith, openaiCounter } from "tuckbox/counters/openai";
import { expose } from "tuckbox/devtools";
import { open as openSlim } from "tuckbox/slim";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

export async function packs(): Promise<void> {
  const store = memoryStore();
  store
    .project("p1")
    .addProfile({ name: "Writer", profile_box_id: "pb" })
    .addBox({ box_id: "b1", card_ids: ["c1"] });
  const project = await open(store, { projectId: "p1", dialect: "v1r4", timeoutMs: 500, now: () => 0 });
  const call = {
    tool_suffix: "demo",
    source_agent_id: "agent_a",
    arguments: { profile_name: "writer", instruction: "go on", big: 2n ** 70n, exact: jsonText("1.0") },
    handover: {
      context_packing_config: {
        pack_arguments: [{ arg_key: "instruction" }],
        inherit_context: { include_boxes_from_args: ["input_box_ids"], include_parent: true },
      },
    },
  } as const;
  const packed = await project.pack(call);
  holds<Equal<typeof packed.context_box_id, string>>();
  const preview = await project.preview({ op: "pack_context", ...call });
  holds<Equal<typeof preview.value.attached_card_ids, readonly string[]>>();
  const entry = preview.ledger.boxes[0]?.entries(0, 10)[0];
  if (entry?.cause.kind === "inherited") holds<Equal<typeof entry.cause.position, number>>();
  const receipt: Receipt = await preview.commit({ timeoutMs: 10 });
  const later: Workspace = await preview.after();
  holds<Equal<typeof receipt.repeated, boolean>>();
  const boxes = await later.call("get_boxes", { box_ids: [packed.context_box_id] });
  holds<Equal<(typeof boxes.missing_boxes)[number]["reason"], "absent" | "deleted" | "expired" | "unreadable">>();
  holds<Equal<ReturnType<typeof later.stats>["memoryBytes"], number>>();
  const cards = await project.cards.get({ card_ids: ["c1"] });
  const content = cards.cards[0]?.content;
  if (content?.__type__ === "TextContent") holds<Equal<typeof content.text, string>>();
  if (content?.__type__ === "ToolResultContent") holds<Equal<typeof content.after_execution, "suspend" | "terminate">>();
  later[Symbol.dispose]();
  preview.dispose();
  await openSlim(store, { projectId: "p1", wasm: new Uint8Array() });
  parseJson("1");
}

export async function sees(project: Workspace): Promise<void> {
  const { messages, ledger } = await project.compose({
    process: "react",
    system_prompt: "s",
    contexts: { todo__context: "t" },
    query: "q",
  });
  const call = { provider: "anthropic", messages, origins: ledger.entries, strict: true, allow: ["system_moved"] } as const;
  const { body, losses } = await project.payload(call);
  holds<Equal<(typeof losses)[number]["action"], "merge" | "move" | "drop" | "rewrite" | "add">>();
  const counter = await openaiCounter("cl100k_base");
  const account = await project.countTokens({ ...call, counter: await countWith(counter, project, call) });
  for (const bucket of account.buckets) if (bucket.kind === "layer") holds<Equal<typeof bucket.layer, string>>();
  const own = { exact: false, count: (text: string) => text.length };
  const fitted = await project.budget({ ...call, limit: 900, counter: await countWith(own, project, call) });
  const diff = await project.prompt.diffPayloads({ provider: "gemini", before: { messages }, after: fitted.prompt });
  holds<Equal<typeof diff.cache.kept_tokens, number>>();
  const parts: readonly MessagePart[] = [
    { type: "text", text: "see", cache: "1h" },
    { type: "image", url: "https://h/a.png", detail: "low" },
    { type: "document", file_id: "file_1", provider: "anthropic", title: "A" },
    { type: "tool_result", call_id: "k1", content: [{ type: "image", data: "AAAA", mime_type: "image/png" }], is_error: true },
    { type: "reasoning", text: "hm", signature: "s" },
    { type: "provider", provider: "gemini", value: { executableCode: {} } },
  ];
  await project.payload({ provider: "gemini", messages: [{ role: "user", content: parts }] });
  // @ts-expect-error an image must have a source
  const nowhere: MessagePart = { type: "image", mime_type: "image/png" };
  // @ts-expect-error the encoding does not exist
  await openaiCounter("p50k");
  // @ts-expect-error the provider does not exist
  await project.payload({ provider: "acme", messages });
  // @ts-expect-error the key of a block must end in `__context`
  await project.compose({ process: "react", system_prompt: "s", contexts: { todo: "t" }, query: "q" });
  void body;
  void nowhere;
}

export async function refuses(project: Workspace, store: Store): Promise<void> {
  // @ts-expect-error the operation does not exist
  await project.call("pack_contxt", {});
  // @ts-expect-error an argument is missing
  await project.boxes.create({});
  // @ts-expect-error a Date is not JSON
  await project.pack({ tool_suffix: "", source_agent_id: "", arguments: { at: new Date() }, handover: {} });
  // @ts-expect-error the content type does not exist
  await project.cards.put({ cards: [{ type: "t", author_id: "a", content: { __type__: "Text", text: "" } }] });
  // @ts-expect-error `project_id` is missing
  await open(store, {});
  // @ts-expect-error the dialect does not exist
  await open(store, { projectId: "p", dialect: "v2" });
  // @ts-expect-error the option does not exist
  await open(store, { projectId: "p", timeout: 5 });
  // @ts-expect-error results are read-only
  (await project.cards.get({ card_ids: [] })).cards = [];
}

const review = {
  name: "ask_for_review",
  arguments: [
    { name: "what", type: "text" },
    { name: "drafts", type: "box_ids" },
    { name: "verdict", type: "result_fields", required: false },
  ],
  handover: { target_profile_config: { profile_name: "Reviewer" }, context_packing_config: { pack_arguments: [{ arg_key: "what" }] } },
} as const satisfies CustomRecipe;

declare module "tuckbox" {
  interface HostRecipes {
    ask_for_review: typeof review;
  }
}

export async function handsOver(store: Store): Promise<void> {
  const project = await open(store, { projectId: "p1", recipes: [review, jsonText("{}")] });
  const call: HandoverCall = {
    op: "delegate_async",
    source_agent_id: "a",
    arguments: { target_strategy: "new", target_ref: "Writer", instruction: "go" },
  };
  const { receiver, sender, added } = await project.recipes.previewHandover({ call, takes_files: false });
  holds<Equal<typeof receiver.context_box_id, string | null>>();
  holds<Equal<typeof sender, typeof receiver | null>>();
  if (added[0]?.cause?.kind === "argument") holds<Equal<(typeof added)[0]["position"], number>>();
  const entry = receiver.entries[0];
  if (entry?.became === "message") holds<Equal<typeof entry.position, number>>();
  if (entry?.became === "nothing") holds<Equal<typeof entry.reason, "call_record" | "absent" | "deleted" | "expired" | "unreadable">>();
  const handed = await project.recipes.askForReview({ source_agent_id: "a", arguments: { what: "?", drafts: ["d1"] } });
  holds<Equal<typeof handed.dispatch.output_box_id, string | null>>();
  holds<Equal<ArgumentsOf<typeof review>["drafts"], readonly (string | number | bigint)[]>>();
  const preview = await project.preview({ op: "ask_for_review", source_agent_id: "a", arguments: jsonText("{}") });
  const authority = preview.ledger.audit[0]?.sources[0]?.authority;
  if (authority?.kind === "clone_source") holds<Equal<typeof authority.agent_id, string>>();
  await (await preview.after()).turnView({ agent_id: "b", after: { op: "create_box", card_ids: [] } });
  const stop: () => void = expose(project, { name: "demo", commits: true });
  stop();
  // @ts-expect-error a store is not a project
  expose(store);
  // @ts-expect-error the agent is missing
  await project.turnView({ tools: [] });
  // @ts-expect-error `record` and `after` exclude each other
  await project.turnView({ agent_id: "b", record: true, after: { op: "create_box", card_ids: [] } });
  // @ts-expect-error `get_cards` is not a handover
  await project.recipes.previewHandover({ call: { op: "get_cards", card_ids: [] } });
  // @ts-expect-error an argument is missing
  await project.recipes.askForReview({ source_agent_id: "a", arguments: { what: "?" } });
  // @ts-expect-error the argument has another type
  await project.recipes.askForReview({ source_agent_id: "a", arguments: { what: 5, drafts: [] } });
  // @ts-expect-error the strategy does not exist
  await project.delegate({ source_agent_id: "a", arguments: { target_strategy: "fork", target_ref: "W", instruction: "" } });
  // @ts-expect-error the argument does not exist
  await project.recipes.askExpert({ source_agent_id: "a", arguments: { expert_profile: "L", question: "?", history: true } });
  // @ts-expect-error the argument type does not exist
  await project.recipes.check({ recipe: { name: "r", arguments: [{ name: "a", type: "words" }], handover: {} } });
}

/** A custom store, written against the types only. */
export class Shelf implements Store {
  async read(reads: Reads): Promise<Answers> {
    return {
      boxes: (reads.boxes ?? []).map((box_id) => ({ box_id, card_ids: [], version: 1 })),
      missing_cards: reads.cards ?? [],
    };
  }

  commit(writes: Writes, { text, signal }: { text: string; signal: { readonly aborted: boolean } }): Receipt {
    if (signal.aborted || text === "") throw new TuckboxError("conflict", "too late");
    return { operation_id: writes.operation_id, repeated: false, boxes: [] };
  }
}

export function codes(error: TuckboxError): string {
  const code: Code = error.code;
  switch (code) {
    case "bad_request":
    case "not_found":
    case "invalid_content":
    case "auth_failed":
    case "conflict":
    case "limit":
    case "store":
    case "aborted":
    case "trap":
    case "load":
      return `${error.path} ${error.message}`;
  }
}
