// Makes what the binary embeds of a build: beside each file its forms by brotli
// and gzip, made once here instead of at each request. It also adds up what a first
// visit loads, and fails above the bound. dist/pages.json names what each page loads
// first, for the service.
import { constants, brotliCompressSync, gzipSync } from "node:zlib";
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstLoads } from "./first.js";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const keep = "unbuilt.txt"; // is committed, so that the folder is there before a build
const maxFirstLoad = 250_000; // bytes, compressed by gzip: what every browser takes
const maxFirstFiles = 29; // with the page itself 30 requests

if (process.argv.includes("--empty")) {
  for (const name of readdirSync(dist)) if (name !== keep) rmSync(join(dist, name), { recursive: true });
  process.exit(0);
}

const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((name) => statSync(join(dist, name)).isFile() && name !== keep && !/\.(br|gz)$/.test(name))
  .sort();
const sizes = new Map();
for (const name of files) {
  if (name === "index.html" || name === "manifest.json" || name === "pages.json") continue; // the index differs with each answer
  const raw = readFileSync(join(dist, name));
  const packed = gzipSync(raw, { level: 9 });
  sizes.set(name, packed.length);
  if (!/\.(js|css|svg|json|txt)$/.test(name)) continue;
  writeFileSync(join(dist, `${name}.gz`), packed);
  writeFileSync(join(dist, `${name}.br`), brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length } }));
}

// The inbox of a tenant is where people come in: the entry, and that page.
const manifest = JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8"));
const loads = new Set();
const add = (key) => {
  const chunk = manifest[key];
  if (!chunk || loads.has(chunk.file)) return;
  loads.add(chunk.file);
  for (const css of chunk.css ?? []) loads.add(css);
  for (const next of chunk.imports ?? []) add(next);
};
for (const key of ["index.html", "src/pages/inbox/InboxPage.tsx"]) {
  if (!manifest[key]) throw new Error(`the build has no ${key}`);
  add(key);
}
writeFileSync(join(dist, "pages.json"), JSON.stringify(firstLoads(manifest)));
rmSync(join(dist, "manifest.json"));
const total = [...loads].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
console.log(`first load: ${(total / 1000).toFixed(1)} kB in ${loads.size} files (at most ${maxFirstLoad / 1000} kB in ${maxFirstFiles})`);
if (total > maxFirstLoad || loads.size > maxFirstFiles) {
  console.error("the first load is too large");
  process.exit(1);
}
