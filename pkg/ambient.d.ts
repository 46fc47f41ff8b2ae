// Modules that only bundlers and runtimes resolve, for the type check of this folder.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "gpt-tokenizer/encoding/*" {
  export function countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}
declare module "vitest" {
  export function afterAll(hook: () => Promise<void>): void;
  export const expect: { getState(): object };
}
