import { fileURLToPath } from "node:url";

// the packages of all consumers are above this folder; an app of its own needs no configuration
const root = fileURLToPath(new URL("../..", import.meta.url));

export default { outputFileTracingRoot: root, turbopack: { root } };
