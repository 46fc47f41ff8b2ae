/** A part of the module, in bundlers and runtimes that import a file as a compiled module. */
declare const module: WebAssembly.Module;
export default module;
