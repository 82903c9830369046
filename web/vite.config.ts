import { defineConfig } from "vitest/config";

// The result is committed and compared, so it depends on nothing but the sources and the lockfile.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    license: { fileName: "licenses.txt" },
  },
  worker: { format: "es" },
  server: { proxy: { "/bags": "http://127.0.0.1:8090", "/panels": "http://127.0.0.1:8090" } },
  // A process for each file of tests would take more time than the tests.
  test: { include: ["src/**/*.test.ts", "test/**/*.test.mjs"], pool: "forks", isolate: false },
});
