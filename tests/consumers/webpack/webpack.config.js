export default {
  mode: "production",
  entry: "./src/main.js",
  // the module travels inside a script: one large file, on purpose
  performance: { hints: false },
};
