import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Schemas } from "@/api/queries";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";

export type RunState = Schemas["ReviewRun"]["state"];

/** What of the list is shown. It stands in the address, so that it can be sent to somebody. */
export interface RunsSearch {
  repository?: string;
  state?: RunState;
  number?: number;
}

const isState = (value: unknown): value is RunState => typeof value === "string" && Object.hasOwn(text.runs.state, value);

/** Reads the filters of an address; what is none is left out. */
export function readSearch(search: Record<string, unknown>): RunsSearch {
  const number = Number(search["number"]);
  return {
    ...(typeof search["repository"] === "string" && search["repository"] !== "" ? { repository: search["repository"] } : {}),
    ...(isState(search["state"]) ? { state: search["state"] } : {}),
    ...(Number.isSafeInteger(number) && number > 0 ? { number } : {}),
  };
}

export const runsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/runs",
  validateSearch: readSearch,
  staticData: { crumb: text.runs.title },
  component: lazyRouteComponent(() => import("./RunsPage"), "RunsPage"),
});
