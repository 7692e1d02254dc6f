import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { tenantRoute } from "@/app/roots";
import { findings as texts } from "@/texts/findings";

/** What of the list is shown. It stands in the address, so that it can be sent to somebody. */
export interface FindingsSearch {
  repository?: string;
  state?: keyof typeof texts.states;
  severity?: keyof typeof texts.severities;
  category?: keyof typeof texts.categories;
  rule?: string;
  path?: string;
  number?: number;
}

function oneOf<K extends string>(names: Record<K, string>, value: unknown): K | undefined {
  return typeof value === "string" && Object.hasOwn(names, value) ? (value as K) : undefined;
}

function words(value: unknown, most: number): string | undefined {
  const text = typeof value === "string" ? value.trim().slice(0, most) : "";
  return text === "" ? undefined : text;
}

/** Reads the filters of an address; what is none is left out. */
export function readSearch(search: Record<string, unknown>): FindingsSearch {
  const number = Number(search["number"]);
  const all = {
    repository: words(search["repository"], 100),
    state: oneOf(texts.states, search["state"]),
    severity: oneOf(texts.severities, search["severity"]),
    category: oneOf(texts.categories, search["category"]),
    rule: words(search["rule"], 300),
    path: words(search["path"], 4096),
    number: Number.isSafeInteger(number) && number > 0 ? number : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined));
}

export const findingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/findings",
  validateSearch: readSearch,
  staticData: { crumb: texts.title },
  component: lazyRouteComponent(() => import("./FindingsPage"), "FindingsPage"),
});
