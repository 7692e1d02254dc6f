import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import type { Schemas } from "@/api/queries";
import { tenantRoute } from "@/app/roots";
import { text } from "@/texts";
import { ordinal } from "@/ui/filterValues";

export type RunState = Schemas["ReviewRun"]["state"];

/** The filters of the list, kept in the address so that a link can be shared. */
export interface RunsSearch {
  repository?: string;
  state?: RunState;
  madeBy?: MadeBy;
  author?: string;
  /** Days, in the reader's zone. */
  since?: string;
  until?: string;
  number?: number;
}

export type MadeBy = keyof typeof text.runs.madeBy;

const isMadeBy = (value: unknown): value is MadeBy => typeof value === "string" && Object.hasOwn(text.runs.madeBy, value);

/** Whether a value is a day of the calendar. */
const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));

/** The beginning of a day in the reader's zone, days later, as the interface wants it. */
export function beginning(day: string, later = 0): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + later);
  return at.toISOString();
}

const isState = (value: unknown): value is RunState => typeof value === "string" && Object.hasOwn(text.runs.state, value);

/** Reads the filters of an address. Invalid ones are left out. */
export function readSearch(search: Record<string, unknown>): RunsSearch {
  const number = ordinal(search["number"]);
  return {
    ...(typeof search["repository"] === "string" && search["repository"] !== "" ? { repository: search["repository"] } : {}),
    ...(isState(search["state"]) ? { state: search["state"] } : {}),
    ...(isMadeBy(search["madeBy"]) ? { madeBy: search["madeBy"] } : {}),
    ...(typeof search["author"] === "string" && search["author"].trim() !== "" ? { author: search["author"].trim().slice(0, 200) } : {}),
    ...(isDay(search["since"]) ? { since: search["since"] } : {}),
    ...(isDay(search["until"]) ? { until: search["until"] } : {}),
    ...(number === undefined ? {} : { number }),
  };
}

export const runsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/runs",
  validateSearch: readSearch,
  component: lazyPage(() => import("./RunsPage"), "RunsPage"),
});
