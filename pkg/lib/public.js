// The exports of every entry; each adds its own `open`.
export { TuckboxError } from "./error.js";
export { importFiles } from "./import/open.js";
export { importStream } from "./import/stream.js";
export { openTimeline } from "./import/timeline.js";
export { JsonText, jsonText, parseJson } from "./json.js";
export { memoryStore } from "./memory.js";
export { version } from "./version.js";
