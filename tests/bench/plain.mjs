// The same jobs in plain JavaScript without a library: rows are objects in memory, and every result is complete.
// `carefully` packs with optimized code: ids are numbers in typed arrays, and ledger entries are created on access.
import { randomUUID } from "node:crypto";

/** Returns a project from its rows. */
export function project({ profiles = [], boxes = [], cards = [], agents = [] }) {
  const by = (key, rows) => new Map(rows.map((row) => [row[key], row]));
  return {
    profiles: new Map(profiles.map((row) => [row.name.toLowerCase(), row])),
    boxes: by("box_id", boxes),
    cards: by("card_id", cards),
    agents: by("agent_id", agents),
  };
}

/** Merges lists. Each id appears once, and each position has a ledger entry. */
function merge(lists) {
  const entries = [];
  const seen = new Map();
  for (const { cause, card_ids } of lists) {
    card_ids.forEach((card_id, position) => {
      const first = seen.get(card_id);
      if (first === undefined) {
        const entry = { position: entries.length, card_id, cause: { ...cause, position }, swallowed: [] };
        seen.set(card_id, entry);
        entries.push(entry);
      } else {
        first.swallowed.push({ ...cause, position });
      }
    });
  }
  return entries;
}

/** Does the same as `merge` with columns instead of objects. `entries` creates the objects of a range. */
function mergeCarefully(lists) {
  const total = lists.reduce((sum, { card_ids }) => sum + card_ids.length, 0);
  const kept = [];
  const from = new Uint32Array(total);
  const at = new Uint32Array(total);
  const swallowed = [];
  const seen = new Map();
  for (let list = 0; list < lists.length; list += 1) {
    const { card_ids } = lists[list];
    for (let position = 0; position < card_ids.length; position += 1) {
      const card_id = card_ids[position];
      const first = seen.get(card_id);
      if (first === undefined) {
        seen.set(card_id, kept.length);
        from[kept.length] = list;
        at[kept.length] = position;
        kept.push(card_id);
      } else {
        swallowed.push(first, list, position);
      }
    }
  }
  const entries = (start, end) => {
    const made = kept.slice(start, end).map((card_id, index) => {
      const position = start + index;
      return { position, card_id, cause: { ...lists[from[position]].cause, position: at[position] }, swallowed: [] };
    });
    for (let index = 0; index < swallowed.length; index += 3) {
      const entry = made[swallowed[index] - start];
      entry?.swallowed.push({ ...lists[swallowed[index + 1]].cause, position: swallowed[index + 2] });
    }
    return made;
  };
  return { card_ids: kept, entries };
}

/** Packs an instruction and boxes into a new box, optimized for speed. */
export function packCarefully(project, call) {
  const { profile, cards, lists } = gather(project, call);
  const { card_ids, entries } = mergeCarefully(lists);
  return { profile, cards, box: { box_id: randomUUID(), card_ids, parent_ids: [] }, entries };
}

/** Packs an instruction and boxes into a new box. */
export function pack(project, call) {
  const { profile, cards, lists } = gather(project, call);
  const ledger = merge(lists);
  const box = { box_id: randomUUID(), card_ids: ledger.map((entry) => entry.card_id), parent_ids: [] };
  return { profile, cards, box, ledger };
}

/** Returns the new cards of a call, and the lists of ids that its box merges. */
function gather(project, call) {
  const { arguments: args, handover } = call;
  const { pack_arguments, inherit_context } = handover.context_packing_config;
  const profile = project.profiles.get(args.profile_name.toLowerCase());
  if (profile === undefined) throw new Error(`no profile ${args.profile_name}`);
  const cards = pack_arguments.map(({ arg_key }) => ({
    card_id: randomUUID(),
    content: { __type__: "TextContent", text: String(args[arg_key]) },
    metadata: { role: "user" },
    author_id: call.source_agent_id,
  }));
  const lists = cards.map(({ card_id }, at) => ({
    cause: { kind: "argument", path: `arguments.${pack_arguments[at].arg_key}` },
    card_ids: [card_id],
  }));
  for (const key of inherit_context.include_boxes_from_args) {
    args[key].forEach((box_id, at) => {
      const found = project.boxes.get(box_id);
      if (found === undefined) throw new Error(`no box ${box_id}`);
      lists.push({ cause: { kind: "inherited", box_id, path: `arguments.${key}[${at}]` }, card_ids: found.card_ids });
    });
  }
  if (inherit_context.include_parent) {
    const pointer = {
      card_id: randomUUID(),
      content: { __type__: "JsonContent", data: { parent_agent_id: call.source_agent_id } },
      metadata: { role: "system" },
    };
    cards.push(pointer);
    lists.push({ cause: { kind: "parent" }, card_ids: [pointer.card_id] });
  }
  return { profile, cards, lists };
}

/** Returns the body of an Anthropic request for cards, and the changes that the conversion made. */
export function payload(project, { box_id, model }) {
  const { messages } = render(project, project.boxes.get(box_id).card_ids);
  const losses = [{ code: "limit_added", action: "add", lossy: false, reason: "`max_tokens` is required and was missing" }];
  const called = new Set();
  const system = [];
  const turns = [];
  messages.forEach((message, position) => {
    const text = message.content === "" ? [] : [{ type: "text", text: message.content }];
    if (message.role === "system") {
      system.push(...text);
      if (turns.length > 0) losses.push({ code: "system_moved", action: "move", lossy: true, position });
      return;
    }
    let role = "user";
    let blocks = text;
    if (message.role === "assistant") {
      role = "assistant";
      const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => {
        called.add(id);
        return { type: "tool_use", id, name, input: JSON.parse(given) };
      });
      blocks = [...text, ...calls];
    } else if (message.role === "tool") {
      if (!called.delete(message.tool_call_id)) {
        losses.push({ code: "orphan_result", action: "drop", lossy: true, position });
        return;
      }
      blocks = [{ type: "tool_result", tool_use_id: message.tool_call_id, content: message.content }];
    }
    const last = turns.at(-1);
    if (last?.role === role) {
      last.content.push(...blocks);
      losses.push({ code: "turns_merged", action: "merge", lossy: false, position });
    } else {
      turns.push({ role, content: blocks });
    }
  });
  if (turns[0]?.role === "assistant") {
    turns.unshift({ role: "user", content: [{ type: "text", text: "(start)" }] });
    losses.push({ code: "user_added", action: "add", lossy: false });
  }
  const body = { model, max_tokens: 4096, ...(system.length > 0 ? { system } : {}), messages: turns };
  return { provider: "anthropic", model, body, losses, renamed_tools: [] };
}

/** Returns JSON with a space after each comma and colon. */
function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
      .join(", ")}}`;
  }
  return JSON.stringify(value);
}

function textOf({ __type__, text, data, result, error }) {
  if (__type__ === "TextContent") return text;
  if (__type__ === "JsonContent") return spaced(data);
  if (error != null) return spaced({ error });
  if (result == null) return "";
  return typeof result === "string" ? result : spaced(result);
}

function messageOf({ content, metadata, tool_calls, tool_call_id }) {
  if (tool_calls?.length > 0) return { role: metadata.role ?? "assistant", content: textOf(content), tool_calls };
  if (tool_call_id) return { role: metadata.role ?? "tool", content: textOf(content), tool_call_id };
  return { role: metadata.role ?? "user", content: textOf(content) };
}

/** Converts cards to messages, and reports the result of each card. */
export function render(project, card_ids) {
  const messages = [];
  const entries = card_ids.map((card_id) => {
    const card = project.cards.get(card_id);
    if (card === undefined) return { card_id, became: "nothing", reason: "absent" };
    messages.push(messageOf(card));
    return { card_id, became: "message", position: messages.length - 1 };
  });
  return { messages, source_card_ids: card_ids, entries };
}

/** Merges and renders the two boxes of a turn. */
export function turnView(project, { context_box_id, output_box_id }) {
  const list = (box_id, side) => ({ cause: { side }, card_ids: project.boxes.get(box_id).card_ids });
  const seats = merge([list(context_box_id, "context"), list(output_box_id, "output")]);
  const { messages, entries } = render(
    project,
    seats.map((seat) => seat.card_id),
  );
  return { request: { messages }, seats, entries };
}

/** Creates a context box and an agent for each task. */
export function forkJoin(project, { source_agent_id, arguments: args }) {
  const packed = args.tasks.map((task, task_index) => {
    const call = {
      source_agent_id,
      arguments: { profile_name: task.target_ref, instruction: task.instruction, boxes: [task.context_box_id] },
      handover: {
        context_packing_config: {
          pack_arguments: [{ arg_key: "instruction" }],
          inherit_context: { include_boxes_from_args: ["boxes"], include_parent: true },
        },
      },
    };
    return { task_index, ...pack(project, call) };
  });
  return packed.map((one) => ({
    ...one,
    dispatch: { agent_id: randomUUID(), profile_box_id: one.profile.profile_box_id, context_box_id: one.box.box_id },
  }));
}
