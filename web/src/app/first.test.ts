import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import first from "./first.json";
import { makeRouter } from "./router";

const script = resolve("scripts/first.js");
const { routes, firstLoads } = (await import(/* @vite-ignore */ script)) as { routes: () => { path: string; code?: string }[]; firstLoads: (manifest: object) => { path: string; loads: { href: string; as: string; search?: string[] }[] }[] };

test("the build knows the pages of the router", () => {
  const shown = Object.keys(makeRouter(new QueryClient()).routesByPath).map((path) => path.replace(/(.)\/$/, "$1"));
  expect([...new Set(routes().map((r) => r.path))].sort()).toEqual([...new Set(shown)].filter((path) => routes().some((r) => r.path === path) || !["/t/$tenantId", "/instance"].includes(path)).sort());
});

test("pages ask first for answers that the service has", () => {
  const { paths } = JSON.parse(readFileSync("../api/openapi.json", "utf8")) as { paths: object };
  const loads = [...Object.values(first.parents).flatMap((p) => p.answers), ...Object.values(first.pages).flatMap((page) => page.map((one) => one.load))];
  for (const load of loads.filter((l) => l.startsWith("/"))) {
    const [path = ""] = load.replace(/\$(\w+)/g, "{$1}").split("?");
    expect(Object.keys(paths)).toContain(path);
  }
});

test("a page loads its answers, then its files, each file once and without those that index.html names", () => {
  const pages = routes().flatMap((r) => (r.code ? [r.code] : []));
  const parts = Object.values(first.pages).flatMap((page) => page.map((one) => one.load).filter((l) => !l.startsWith("/")));
  const manifest = Object.fromEntries([...pages, ...parts].map((module, i) => [module, { file: `${i}.js`, imports: ["index.html", "_small.js"], css: ["a.css"] }]));
  const list = firstLoads({ ...manifest, "index.html": { file: "index.js" }, "_small.js": { file: "small.js", imports: ["index.html"] } });
  const run = list.find((p) => p.path.endsWith("/runs/$runId"))?.loads ?? [];
  const file = (module: string) => `/${[...pages, ...parts].indexOf(module)}.js`;
  expect(run.slice(0, 5).map((l) => l.as)).toEqual(["fetch", "fetch", "fetch", "fetch", "fetch"]);
  expect(run.filter((l) => l.as !== "fetch")).toEqual([
    { href: file("src/pages/run/RunPage.tsx"), as: "script" },
    { href: "/a.css", as: "style" },
    { href: "/small.js", as: "script" },
    { href: file("src/pages/run/diff/Changes.tsx"), as: "script", search: ["", "tab=diff"] },
  ]);
});
