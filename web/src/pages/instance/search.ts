import { deadLetters, deliveries } from "@/texts/instance";
import { known, oneOf, words } from "@/ui/filterValues";
import { timeOf } from "@/ui/moment";

/** The filters of the deliveries. */
export interface DeliveriesSearch {
  guid?: string;
  state?: keyof typeof deliveries.filter;
  host?: keyof typeof deliveries.hosts;
  sourceId?: string;
  tenantId?: string;
  since?: string;
}

/** Reads the filters of an address. Invalid ones are left out. */
export const readDeliveries = (search: Record<string, unknown>): DeliveriesSearch =>
  known<DeliveriesSearch>({
    guid: words(search["guid"], 200),
    state: oneOf(deliveries.filter, search["state"]),
    host: oneOf(deliveries.hosts, search["host"]),
    sourceId: words(search["sourceId"], 100),
    tenantId: words(search["tenantId"], 100),
    since: timeOf(search["since"]),
  });

/** The filters of the dead jobs. */
export interface DeadSearch {
  kind?: string;
  lane?: keyof typeof deadLetters.lanes;
  tenantId?: string;
  since?: string;
}

/** Reads the filters of an address. Invalid ones are left out. */
export const readDead = (search: Record<string, unknown>): DeadSearch =>
  known<DeadSearch>({ kind: words(search["kind"], 100), lane: oneOf(deadLetters.lanes, search["lane"]), tenantId: words(search["tenantId"], 100), since: timeOf(search["since"]) });
