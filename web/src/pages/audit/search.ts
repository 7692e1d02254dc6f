import { audit as texts } from "@/texts/audit";
import { known, oneOf, words } from "@/ui/filterValues";
import { timeOf } from "@/ui/moment";

/** The filters of a log, kept in the address. */
export interface AuditSearch {
  actor?: string;
  action?: string;
  targetKind?: string;
  targetId?: string;
  result?: keyof typeof texts.results;
  /** Points in time, as RFC 3339 has them. */
  from?: string;
  to?: string;
}

/** Reads the filters of an address. Invalid ones are left out. */
export const readSearch = (search: Record<string, unknown>): AuditSearch =>
  known<AuditSearch>({
    actor: words(search["actor"], 100),
    action: words(search["action"], 100),
    targetKind: words(search["targetKind"], 100),
    targetId: words(search["targetId"], 200),
    result: oneOf(texts.results, search["result"]),
    from: timeOf(search["from"]),
    to: timeOf(search["to"]),
  });
