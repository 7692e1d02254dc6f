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
    chunkSizeWarningLimit: 1000, // kB; scripts/pack.js bounds what a first visit loads
    manifest: "manifest.json",
    rolldownOptions: {
      input: { index: "index.html", push: "src/push/worker.ts" },
      // A registration of a service worker is bound to its address: that of the worker stays the same.
      output: {
        entryFileNames: ({ name }) => (name === "push" ? "assets/console/push.js" : "assets/console/[name]-[hash].js"),
        // A browser loads six files at a time, so few files are soon there. start is what every page needs, shared the modules that at least 26 pages share,
        // small the small ones that at least 8 share, forms the controls of forms, and review what pages of reviews share. Measured: fewer pages make a file
        // larger, more pages leave more files.
        codeSplitting: {
          groups: [
            { name: "start", tags: ["$initial"], test: (id) => !id.includes("/src/push/"), priority: 2 },
            { name: "shared", minShareCount: 26, priority: 1 },
            { name: "small", minShareCount: 8, maxModuleSize: 2500, test: /src\/(ui|api|texts|pages\/run)\/(?!Repositor|useServerForm)|tabler|mantine\/hooks/ },
            { name: "forms", minShareCount: 6, test: /mantine\/form|\/(Checkbox|InlineInput|Textarea|Switch|SwitchGroup|CheckboxGroup|useServerForm)\b/ },
            { name: "review", minShareCount: 2, test: /src\/(pages\/(run|records|runs|findings\/useListKeys|calibration)|ui\/Prose|texts\/(approval|calibration)|app\/frame\/keys)/, maxModuleSize: 7000 },
          ],
        },
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
