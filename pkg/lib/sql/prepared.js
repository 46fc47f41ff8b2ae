// Which statements connections prepare. Statements come from callers too, so each project has a share of its own.

/** The number of prepared statements of a store per connection. */
const MAX_PREPARED = 192;
/** The number of them that one project can add. A project that runs agents has about 30. */
const MAX_OF_PROJECT = 48;
/** The number of statements of a project to remember that ran once. */
const MAX_REMEMBERED = 128;
/** The number of projects to remember. */
const MAX_PROJECTS = 1024;

/**
 * Returns a function from a statement to its prepared name. It returns nothing for the first run of a project, and
 * nothing after the project has used up its share. All projects use the same name for the same statement.
 *
 * @returns {(text: string, project_id?: string) => string | undefined}
 */
export function preparedNames() {
  // other stores can use the same connections
  const own = `tuckbox_${globalThis.crypto.randomUUID().slice(0, 8)}`;
  const named = /** @type {Map<string, string>} */ (new Map());
  const projects = /** @type {Map<string, { once: Set<string>, added: number }>} */ (new Map());
  return (text, project_id = "") => {
    const known = named.get(text);
    if (known !== undefined || named.size >= MAX_PREPARED) return known;
    const project = projects.get(project_id) ?? { once: new Set(), added: 0 };
    // the projects are in the order of their last use
    projects.delete(project_id);
    projects.set(project_id, project);
    evict(projects, MAX_PROJECTS);
    if (project.added >= MAX_OF_PROJECT) return undefined;
    if (!project.once.delete(text)) {
      project.once.add(text);
      evict(project.once, MAX_REMEMBERED);
      return undefined;
    }
    project.added += 1;
    const name = `${own}_${named.size}`;
    named.set(text, name);
    return name;
  };
}

/** @param {Map<string, unknown> | Set<string>} entries @param {number} max */
function evict(entries, max) {
  if (entries.size > max) entries.delete(String(entries.keys().next().value));
}
