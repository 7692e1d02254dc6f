/** The tabs of a run's page, by the names that its address has. The approval is there only for reviews that need one. */
export const tabs = ["approval", "diff", "findings", "published", "dropped", "context", "usage", "history"] as const;
export type Tab = (typeof tabs)[number];

/** The further parts of a run page's address. Without a tab the page chooses one. */
export interface RunSearch {
  tab?: Tab;
  /** Path of a file that stands open among the changes. */
  file?: string;
}

/** Reads the address. Invalid parts are left out. */
export function runSearch(search: Record<string, unknown>): RunSearch {
  const tab = tabs.find((t) => t === search["tab"]);
  const file = search["file"];
  return { ...(tab ? { tab } : {}), ...(typeof file === "string" && file !== "" ? { file } : {}) };
}
