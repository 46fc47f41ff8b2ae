// Projects on Cloudflare Workers: each project is a Durable Object with its own storage and the routes of
// `tuckbox/http`. Callers with the token have full access.
//
//   PUT  /projects/{project_id}/profiles                             [{ "name": "Writer", "profile_box_id": "pb_writer" }]
//   POST /projects/{project_id}/operations/pack_context/preview      shows what a call writes
//   POST /projects/{project_id}/operations/pack_context/commit       commits the call
//   GET  /projects/{project_id}/boxes/{box_id}/cards                 reads the cards of a box; all other routes exist, too
import { DurableObject } from "cloudflare:workers";
import { open } from "tuckbox";
import { fetchHandler } from "tuckbox/http";
import { durableObjectStore } from "tuckbox/stores/durable-object";

/** One project. All requests for it reach the same object. */
export class Project extends DurableObject {
  #store = durableObjectStore(this.ctx.storage);
  // the Worker has checked the token and the project
  #routes = fetchHandler({ open, store: this.#store, authorize: () => true });

  async fetch(request) {
    const [, , project_id, resource] = new URL(request.url).pathname.split("/");
    if (request.method !== "PUT" || resource !== "profiles") return this.#routes(request);
    try {
      await this.#store.addProfiles(decodeURIComponent(project_id), await request.json());
      return new Response(null, { status: 204 });
    } catch (error) {
      return refusal(400, error.code ?? "bad_request", error.message);
    }
  }
}

export default {
  async fetch(request, env) {
    if (!(await isAllowed(request, env))) return refusal(401, "auth_failed", "the token is missing or wrong");
    const [, name] = /^\/projects\/([^/]+)\/./.exec(new URL(request.url).pathname) ?? [];
    if (name === undefined) return refusal(404, "not_found", "no route matches this path");
    try {
      return await env.PROJECTS.getByName(decodeURIComponent(name)).fetch(request);
    } catch (error) {
      if (error instanceof URIError) return refusal(400, "bad_request", "the path is not valid UTF-8");
      throw error;
    }
  },
};

/** Compares the token in constant time. */
async function isAllowed(request, { API_TOKEN }) {
  const digest = (text) => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const given = request.headers.get("authorization") ?? "";
  return crypto.subtle.timingSafeEqual(await digest(given), await digest(`Bearer ${API_TOKEN}`));
}

function refusal(status, code, message) {
  return Response.json({ error: { code, path: "", message, details: {} } }, { status });
}
