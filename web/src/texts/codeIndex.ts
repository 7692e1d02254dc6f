import type { Schemas } from "@/api/queries";
import { many } from "./many";

type Of<T extends string> = Record<T, string>;
type State = Schemas["CodeIndex"]["state"];

/** Texts of the page of a repository's code index. */
export const codeIndex = {
  states: { absent: "absent", building: "being built", ready: "ready", stale: "being updated", failed: "failed" } satisfies Of<State>,
  says: {
    absent: "There is no index yet. One is built within minutes after a repository is connected.",
    building: "The files of the default branch are being read. Searches are answered once an index is complete.",
    ready: "Searches see the newest known commit.",
    stale: "The branch has a newer commit. Searches see the commit below until the update is complete.",
    failed: "The last build failed. It is tried again.",
  } satisfies Of<State>,
  progress: (done: number, of: number) => `${done} of ${many(of, "file", "files")}`,
  size: "Size",
  bytes: (n: number) => (n < 1_000_000 ? `${Math.ceil(n / 1000)} kB` : `${(n / 1_000_000).toFixed(1)} MB`),
  checkedAt: "Branch read",
  rebuild: "Rebuild the index",
  rebuildSure: "All files are indexed from nothing. Searches use the present index until the new one is complete.",
  rebuildBegan: "The index is being rebuilt.",
  leftOut: "Files that are not in the index",
  reasons: {
    generated: "Generated",
    vendored: "Copied from other projects",
    lock: "Lock files",
    minified: "Minified",
    binary: "Binary",
    data: "Data",
    submodule: "Submodules",
    symlink: "Symbolic links",
    "too-large": "Larger than 512 KiB",
    path: "With a path that is too long or not UTF-8",
    limit: "Beyond 60,000 files or 512 MiB",
  } satisfies Of<Schemas["LeftOut"]["reason"]>,
  query: "Search the code",
  querySays: "Names, words and paths, such as Cart.Total",
  search: "Search",
  found: (n: number, more: boolean, commit: string) => `${more ? "The best " : ""}${many(n, "place", "places")} at commit ${commit}`,
  nothing: "Nothing found. Try a part of a name, or another word.",
  why: { definition: "defines it", use: "uses it", path: "in the path", words: "has the words" } satisfies Of<Schemas["FoundCode"]["why"][number]>,
  excerpt: (path: string) => `Excerpt of ${path}`,
};
