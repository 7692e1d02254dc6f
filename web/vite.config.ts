import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: "dist",
    emptyOutDir: false, // scripts/pack.js empties it, but for what stands there while nothing is built
    assetsDir: "assets/console",
    assetsInlineLimit: 0, // the content policy allows no data: but for images
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: "manifest.json",
    rolldownOptions: {
      input: { index: "index.html", push: "src/push/worker.ts" },
      // A registration of a service worker is bound to its address: that of the worker stays the same.
      output: {
        entryFileNames: ({ name }) => (name === "push" ? "assets/console/push.js" : "assets/console/[name]-[hash].js"),
        // Modules that at least 26 pages share go into one file, so that a first visit makes few requests. Measured: fewer pages make it larger, more
        // pages leave more files.
        // Lists and what reads the service join it, because the first page needs them.
        advancedChunks: { groups: [{ name: "shared", minShareCount: 26 }, { name: "shared", test: /src\/(api|ui\/(ListTable|useSteady|PullLink|RunLink))\b/ }] },
      },
    },
    license: { fileName: "assets/console/licences.txt" },
    target: "es2023",
  },
  server: {
    port: 5173,
    // The service itself runs beside it, such as by make run.
    proxy: Object.fromEntries(
      ["/api", "/auth", "/setup", "/docs", "/assets/style.css", "/sign-out", "/version"].map((path) => [
        path,
        process.env["ASSAY_DEV_SERVICE"] ?? "http://127.0.0.1:8080",
      ]),
    ),
  },
  test: {
    environment: "happy-dom",
    setupFiles: ["src/test/setup.ts"],
    isolate: false, // one window for all files: each cleans up after itself
    fileParallelism: false,
    restoreMocks: true,
    testTimeout: 30_000,
    include: ["src/**/*.test.{ts,tsx}"],
  },
});
