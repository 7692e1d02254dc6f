import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { tenantRoute } from "@/app/roots";
import { approvals as texts } from "@/texts/approvals";

/** The filters of the list. Without a state it shows waiting approvals. */
export interface ApprovalsSearch {
  repository?: string;
  state?: keyof typeof texts.state;
}

const isState = (value: unknown): value is keyof typeof texts.state => typeof value === "string" && Object.hasOwn(texts.state, value);

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): ApprovalsSearch {
  return {
    ...(typeof search["repository"] === "string" && search["repository"] !== "" ? { repository: search["repository"] } : {}),
    ...(isState(search["state"]) && search["state"] !== "pending" ? { state: search["state"] } : {}),
  };
}

export const approvalsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/approvals",
  validateSearch: readSearch,
  component: lazyPage(() => import("./ApprovalsPage"), "ApprovalsPage"),
});
