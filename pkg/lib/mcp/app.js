// The MCP App: a page that clients with MCP Apps show next to the answer of a tool. It needs no network.
import { readFileSync } from "node:fs";

/** The id of the extension in capabilities. */
export const EXTENSION = "io.modelcontextprotocol/ui";
const MIME_TYPE = "text/html;profile=mcp-app";
const URI = "ui://tuckbox/view";

/**
 * Returns true for a client that shows pages.
 *
 * @param {{ [name: string]: any } | undefined} capabilities
 */
function shows(capabilities) {
  return capabilities?.extensions?.[EXTENSION]?.mimeTypes?.includes?.(MIME_TYPE) === true;
}

/**
 * Returns the definitions of tools for a client. Only a client that shows pages gets the page of the answers, because
 * definitions are part of every request of a client.
 *
 * @param {readonly object[]} tools
 * @param {{ [name: string]: any } | undefined} capabilities
 */
export function withPage(tools, capabilities) {
  return shows(capabilities) ? tools.map((tool) => ({ ...tool, _meta: { ui: { resourceUri: URI } } })) : tools;
}

/**
 * Returns the page; nothing for the URI of another resource.
 *
 * @param {unknown} uri
 */
export function pageAt(uri) {
  if (uri !== URI) return undefined;
  const text = readFileSync(new URL("./view.html", import.meta.url), "utf8");
  return { contents: [{ uri: URI, mimeType: MIME_TYPE, text, _meta: { ui: { prefersBorder: true } } }] };
}
