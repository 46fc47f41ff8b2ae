// Links to the boxes that a commit created.
import type { Receipt } from "../../engine/protocol.ts";
import { show } from "../../state.ts";
import { Name } from "../../text/plain.tsx";

export function CommittedBoxes({ receipt, onGo }: { receipt: Receipt; onGo?: () => void }) {
  return (
    <ul class="plain made">
      {receipt.boxes.map(({ box_id }) => (
        <li>
          <button
            type="button"
            class="link"
            onClick={() => {
              onGo?.();
              show({ kind: "box", box_id });
            }}
          >
            <Name text={box_id} />
          </button>
        </li>
      ))}
    </ul>
  );
}
