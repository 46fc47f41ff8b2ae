// Snapshots for tests.
import { deflateRawSync } from "node:zlib";

/** Returns a project with one box per hundred cards, and one call that inherits all of them. */
export function largeSnapshot(count, { words = 60 } = {}) {
  const types = ["agent.thought", "tool.call", "tool.result", "task.deliverable", "task.instruction"];
  const cards = [];
  const boxes = [];
  for (let n = 0; n < count; n += 1) {
    const type = types[n % types.length];
    const text = `${n} ${"the gate closed at 23:40 and the boat left later ".repeat(words / 10)}`;
    cards.push(card(`c${n}`, type, { __type__: "TextContent", text }));
    if (n % 100 === 0) boxes.push({ box_id: `box_${n / 100}`, card_ids: [], parent_ids: [], version: 1 });
    boxes.at(-1).card_ids.push(`c${n}`);
  }
  const box_ids = boxes.map((box) => box.box_id);
  return snapshot({ cards, boxes, calls: [pack("large", { instruction: "go on", box_ids }, box_ids)] });
}

export function card(card_id, type, content, more = {}) {
  const role = { "tool.result": "tool", "task.instruction": "user" }[type] ?? "assistant";
  return { card_id, content, metadata: { type, role, author_id: "agent_a", ...more.metadata }, ...more.row };
}

/** Returns a call that packs an instruction and inherits the boxes under `box_ids`. */
export function pack(title, args, authorized) {
  return {
    id: title,
    title: { en: title, zh: title },
    note: { en: "", zh: "" },
    call: {
      op: "pack_context",
      tool_suffix: "test",
      source_agent_id: "agent_a",
      arguments: { profile_name: "Writer", ...args },
      handover: {
        authorized_inherit_box_ids: authorized,
        context_packing_config: {
          pack_arguments: [{ arg_key: "instruction" }],
          inherit_context: { include_boxes_from_args: ["box_ids"] },
        },
      },
    },
  };
}

export function snapshot({ cards, boxes, calls, profiles, agents, rows, project_id = "test_project" }) {
  return {
    format: 1,
    calls,
    projects: [
      {
        project_id,
        profiles: profiles ?? [{ name: "Writer", profile_box_id: "pb_writer" }],
        boxes,
        cards,
        agents: agents ?? [],
        ...(rows === undefined ? {} : { rows }),
        operations: [],
      },
    ],
  };
}

const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** Returns a link that contains a snapshot, without the URL of the page. */
export function linkOf(value) {
  return `#s=${deflateRawSync(textOf(value)).toString("base64url")}`;
}

/** Returns a file for an input of playwright. */
export function file(value, name = "snapshot.json") {
  const text = textOf(value);
  return { name, mimeType: "application/json", buffer: Buffer.from(text) };
}
