/** A part of the module, where a bundler or a runtime gives modules for files. */
declare const module: WebAssembly.Module;
export default module;
