// `<tuckbox-inspector>`: the inspector as an element in another page. It is in a shadow root with adopted style sheets.
// No style of the page applies inside, none of the inspector applies outside, and a policy without inline styles allows
// it. The app is loaded when the element is first connected.
import type { OpenOptions, Store } from "tuckbox/web";
import type { Origin } from "./engine/protocol.ts";
import { mountIn } from "./mount.ts";

const NAME = "tuckbox-inspector";
/** The element that shows the app. The app's state is global, so a page can have only one. */
let shown: TuckboxInspector | undefined;

export class TuckboxInspector extends HTMLElement {
  static readonly observedAttributes = ["src"];
  #origin: Origin | null = null;
  #app: Promise<typeof import("./embedded.tsx")> | undefined;

  /** The text of a snapshot, or of another tool's log. */
  set snapshot(text: string) {
    this.#open({ kind: "given", from: { kind: "text", text } });
  }

  /** A project of a store: `{ store, projectId, .. }` with the options of `open`. */
  set project({ store, ...settings }: OpenOptions & { store: Store }) {
    this.#open({ kind: "host", store, settings, name: settings.projectId });
  }

  connectedCallback(): void {
    if (shown !== undefined && shown !== this) {
      this.textContent = "a page can contain only one <tuckbox-inspector>";
      return;
    }
    shown = this;
    if (this.#app !== undefined) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    mountIn(this, root);
    this.#app = import("./embedded.tsx");
    void this.#app.then(async ({ start }) => {
      await start(root);
      await this.#openNow();
    });
  }

  disconnectedCallback(): void {
    if (shown === this) shown = undefined;
  }

  attributeChangedCallback(_: string, __: string | null, url: string | null): void {
    if (url !== null) this.#open({ kind: "given", from: { kind: "url", url: new URL(url, location.href).href } });
  }

  #open(origin: Origin): void {
    this.#origin = origin;
    void this.#app?.then(() => this.#openNow());
  }

  async #openNow(): Promise<void> {
    const origin = this.#origin;
    if (origin === null) return;
    this.#origin = null;
    const { openFrom, lastOpenError } = await (this.#app as Promise<typeof import("./embedded.tsx")>);
    const isOpen = await openFrom(origin);
    const event = isOpen ? new CustomEvent("tuckbox-opened") : new CustomEvent("tuckbox-refused", { detail: lastOpenError() });
    this.dispatchEvent(event);
  }
}

if (customElements.get(NAME) === undefined) customElements.define(NAME, TuckboxInspector);
