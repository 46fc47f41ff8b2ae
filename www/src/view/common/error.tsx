import type { Fault } from "../../engine/protocol.ts";
import { t } from "../../i18n/index.ts";
import { Name, Plain } from "../../text/plain.tsx";

/** An error of the core: code, path and message. */
export function FaultNote({ title, fault, note }: { title: string; fault: Fault; note?: string | undefined }) {
  return (
    <section class="fault" role="alert">
      <h2>{title}</h2>
      <p>
        <code class="code">{fault.code}</code>
        {fault.path !== "" && <> {t("fault.path")} <code><Name text={fault.path} /></code></>}
      </p>
      <p class="sentence"><Plain text={fault.message} /></p>
      {note !== undefined && <p class="muted">{note}</p>}
    </section>
  );
}
