import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";

export type CostGroup = "day" | "model" | "tier" | "repository" | "kind";

/** The filters of the costs, kept in the address so that a link can be shared. */
export interface CostsSearch {
  from?: string;
  to?: string;
  by?: CostGroup;
  repository?: string;
}

const groups: readonly unknown[] = ["day", "model", "tier", "repository", "kind"] satisfies CostGroup[];

const isDay = (v: unknown): v is string => typeof v === "string" && /^\d{4}-\d{2}-\d{2}$/.test(v) && !Number.isNaN(Date.parse(v));

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): CostsSearch {
  return {
    ...(isDay(search["from"]) ? { from: search["from"] } : {}),
    ...(isDay(search["to"]) ? { to: search["to"] } : {}),
    ...(groups.includes(search["by"]) ? { by: search["by"] as CostGroup } : {}),
    ...(typeof search["repository"] === "string" && search["repository"] !== "" ? { repository: search["repository"] } : {}),
  };
}

export const costsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/costs",
  validateSearch: readSearch,
  component: lazyPage(() => import("./CostsPage"), "CostsPage"),
});
