import type { ErrorData } from "../../engine/protocol.ts";
import { t } from "../../i18n/index.ts";
import { Name, Plain } from "../../text/plain.tsx";

/** An error of the core: code, path and message. */
export function ErrorNote({ title, error, note }: { title: string; error: ErrorData; note?: string | undefined }) {
  return (
    <section class="error-note" role="alert">
      <h2>{title}</h2>
      <p>
        <code class="code">{error.code}</code>
        {error.path !== "" && (
          <>
            {" "}
            {t("error.path")}{" "}
            <code>
              <Name text={error.path} />
            </code>
          </>
        )}
      </p>
      <p class="sentence">
        <Plain text={error.message} />
      </p>
      {note !== undefined && <p class="muted">{note}</p>}
    </section>
  );
}
