// Finds what each page loads first: the files of its code, by the routes in src/pages
// and the manifest of the build, and the answers of the service, by src/app/first.json.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const web = join(import.meta.dirname, "..");
const declared = JSON.parse(readFileSync(join(web, "src/app/first.json"), "utf8"));

/** Returns the pages that routes in src/pages declare: the name of the parent, the path, and the module of the code if there is one. */
export function routes() {
  const found = [];
  for (const name of readdirSync(join(web, "src/pages"), { recursive: true, encoding: "utf8" }).sort()) {
    if (!/\/routes?\.ts$/.test(name)) continue;
    const source = readFileSync(join(web, "src/pages", name), "utf8");
    for (const block of source.split("createRoute({").slice(1)) {
      const [, parent] = /getParentRoute: \(\) => (\w+)Route/.exec(block) ?? [];
      const [, path] = /^ {2}path: "([^"]+)"/m.exec(block) ?? [];
      const [, code] = /import\("\.\/(\w+)"\)/.exec(block) ?? [];
      if (!path || !declared.parents[parent]) throw new Error(`src/pages/${name} has a route without a path or with an unknown parent`);
      found.push({ parent, path: `${declared.parents[parent].path}${path}`.replace(/(.)\/$/, "$1"), code: code && `src/pages/${dirname(name)}/${code}.tsx` });
    }
  }
  return found;
}

/** Returns a list of pages for the service, each with its path and what it loads. search lists the queries of the address for which it is loaded. */
export function firstLoads(manifest) {
  const at = new Map();
  const filesOf = (module, seen) => {
    const chunk = manifest[module];
    if (!chunk) throw new Error(`the build has no ${module}`);
    if (seen.has(chunk.file)) return seen;
    seen.add(chunk.file);
    for (const css of chunk.css ?? []) seen.add(css);
    for (const next of chunk.imports ?? []) filesOf(next, seen);
    return seen;
  };
  const start = filesOf("index.html", new Set()); // index.html names these itself
  const loadsOf = ({ load, search }, seen) => {
    const when = search ? { search } : {};
    if (load.startsWith("/")) return [{ href: load, as: "fetch", ...when }];
    const files = [...filesOf(load, new Set())].filter((file) => !start.has(file) && !seen.has(file));
    for (const file of files) seen.add(file);
    return files.map((file) => ({ href: `/${file}`, as: file.endsWith(".css") ? "style" : "script", ...when }));
  };
  for (const { parent, path, code } of routes()) {
    const own = declared.pages[path] ?? [];
    const isAnswer = ({ load }) => load.startsWith("/");
    const answers = [...declared.parents[parent].answers.map((load) => ({ load })), ...own.filter(isAnswer)];
    const modules = [...(code ? [{ load: code }] : []), ...own.filter((one) => !isAnswer(one))];
    const seen = new Set();
    at.set(path, [...answers, ...modules].flatMap((one) => loadsOf(one, seen)));
  }
  for (const path of Object.keys(declared.pages)) if (!at.has(path)) throw new Error(`src/app/first.json has ${path}, which is not a page`);
  return [...at].map(([path, loads]) => ({ path, loads }));
}
