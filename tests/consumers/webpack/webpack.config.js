export default {
  mode: "production",
  entry: "./src/main.js",
  // the script contains the WebAssembly module, so it exceeds the size hints
  performance: { hints: false },
};
