import type { Syntax } from "refractor";

/** Grammars are loaded when a file of their language is first shown: each is a file of its own. */
export const grammars: Readonly<Record<string, () => Promise<{ default: Syntax }>>> = {
  bash: () => import("refractor/bash"),
  c: () => import("refractor/c"),
  cpp: () => import("refractor/cpp"),
  csharp: () => import("refractor/csharp"),
  css: () => import("refractor/css"),
  dart: () => import("refractor/dart"),
  docker: () => import("refractor/docker"),
  elixir: () => import("refractor/elixir"),
  go: () => import("refractor/go"),
  graphql: () => import("refractor/graphql"),
  groovy: () => import("refractor/groovy"),
  haskell: () => import("refractor/haskell"),
  hcl: () => import("refractor/hcl"),
  java: () => import("refractor/java"),
  javascript: () => import("refractor/javascript"),
  json: () => import("refractor/json"),
  jsx: () => import("refractor/jsx"),
  kotlin: () => import("refractor/kotlin"),
  lua: () => import("refractor/lua"),
  makefile: () => import("refractor/makefile"),
  markup: () => import("refractor/markup"),
  objectivec: () => import("refractor/objectivec"),
  perl: () => import("refractor/perl"),
  php: () => import("refractor/php"),
  protobuf: () => import("refractor/protobuf"),
  python: () => import("refractor/python"),
  r: () => import("refractor/r"),
  ruby: () => import("refractor/ruby"),
  rust: () => import("refractor/rust"),
  scala: () => import("refractor/scala"),
  scss: () => import("refractor/scss"),
  sql: () => import("refractor/sql"),
  swift: () => import("refractor/swift"),
  toml: () => import("refractor/toml"),
  tsx: () => import("refractor/tsx"),
  typescript: () => import("refractor/typescript"),
  yaml: () => import("refractor/yaml"),
};

const names: Readonly<Record<string, string>> = {
  dockerfile: "docker",
  containerfile: "docker",
  makefile: "makefile",
  gnumakefile: "makefile",
  jenkinsfile: "groovy",
  gemfile: "ruby",
  rakefile: "ruby",
};

const endings: Readonly<Record<string, string>> = {
  bash: "bash", sh: "bash", zsh: "bash",
  c: "c", h: "c",
  cc: "cpp", cpp: "cpp", cxx: "cpp", hpp: "cpp", hh: "cpp",
  cs: "csharp", css: "css", dart: "dart", ex: "elixir", exs: "elixir", go: "go",
  graphql: "graphql", gql: "graphql", groovy: "groovy", gradle: "groovy",
  hs: "haskell", hcl: "hcl", tf: "hcl", java: "java",
  js: "javascript", cjs: "javascript", mjs: "javascript", jsx: "jsx",
  json: "json", kt: "kotlin", kts: "kotlin", lua: "lua", mk: "makefile",
  html: "markup", htm: "markup", xml: "markup", svg: "markup", vue: "markup",
  m: "objectivec", pl: "perl", pm: "perl", php: "php", proto: "protobuf",
  py: "python", pyi: "python", r: "r", rb: "ruby", rs: "rust",
  scala: "scala", sc: "scala", scss: "scss", sql: "sql", swift: "swift", toml: "toml",
  ts: "typescript", cts: "typescript", mts: "typescript", tsx: "tsx",
  yaml: "yaml", yml: "yaml",
}; // prettier-ignore

/** The grammar for a file by its name, as Linguist and editors choose it; "" where there is none. */
export function languageOf(path: string): string {
  const name = (path.split("/").at(-1) ?? "").toLowerCase();
  const whole = Object.hasOwn(names, name) ? names[name] : undefined;
  const ending = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  return whole ?? (Object.hasOwn(endings, ending) ? (endings[ending] ?? "") : "");
}

/** Loads the colouring of a language. */
export async function colouring(language: string) {
  const grammar = grammars[language];
  if (!grammar) throw new Error(`no grammar for ${language}`);
  const [{ refractor }, { default: syntax }] = await Promise.all([import("refractor/core"), grammar()]);
  refractor.register(syntax); // registering again does nothing
  return refractor;
}
