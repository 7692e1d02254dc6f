import { timeOf } from "@/pages/audit/search";
import { deadLetters, deliveries } from "@/texts/instance";

const oneOf = <K extends string>(names: Record<K, string>, value: unknown): K | undefined => (typeof value === "string" && Object.hasOwn(names, value) ? (value as K) : undefined);

const words = (value: unknown, most: number): string | undefined => {
  const text = typeof value === "string" ? value.trim().slice(0, most) : "";
  return text === "" ? undefined : text;
};

const known = <T extends object>(all: { [K in keyof T]: T[K] | undefined }): T => Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined)) as T;

/** What of the deliveries is shown. */
export interface DeliveriesSearch {
  guid?: string;
  state?: keyof typeof deliveries.filter;
  host?: keyof typeof deliveries.hosts;
  sourceId?: string;
  tenantId?: string;
  since?: string;
}

/** Reads the filters of an address; what is none is left out. */
export const readDeliveries = (search: Record<string, unknown>): DeliveriesSearch =>
  known<DeliveriesSearch>({
    guid: words(search["guid"], 200),
    state: oneOf(deliveries.filter, search["state"]),
    host: oneOf(deliveries.hosts, search["host"]),
    sourceId: words(search["sourceId"], 100),
    tenantId: words(search["tenantId"], 100),
    since: timeOf(search["since"]),
  });

/** What of the jobs that were given up is shown. */
export interface DeadSearch {
  kind?: string;
  lane?: keyof typeof deadLetters.lanes;
  tenantId?: string;
  since?: string;
}

/** Reads the filters of an address; what is none is left out. */
export const readDead = (search: Record<string, unknown>): DeadSearch =>
  known<DeadSearch>({ kind: words(search["kind"], 100), lane: oneOf(deadLetters.lanes, search["lane"]), tenantId: words(search["tenantId"], 100), since: timeOf(search["since"]) });
