import type { Schemas } from "@/api/queries";
import { costs as texts } from "@/texts/costs";
import { money } from "@/ui/format";
import type { Series, StackedDay } from "@/ui/Stacks";

type Costs = Schemas["Costs"];

const dayMs = 86_400_000;

/** Every day of a span, both ends in it. */
export function daysOf(from: string, to: string): string[] {
  const out: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) out.push(new Date(at).toISOString().slice(0, 10));
  return out;
}

/** The months and days that can be chosen at once, by the day it is (UTC). */
export function spans(today: Date): Record<"thisMonth" | "lastMonth" | "last30", { from: string; to: string }> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [y, m] = [today.getUTCFullYear(), today.getUTCMonth()];
  return {
    thisMonth: { from: day(Date.UTC(y, m, 1)), to: day(today.getTime()) },
    lastMonth: { from: day(Date.UTC(y, m - 1, 1)), to: day(Date.UTC(y, m, 0)) },
    last30: { from: day(today.getTime() - 29 * dayMs), to: day(today.getTime()) },
  };
}

/** The name of a group. */
export const nameOf = (by: Costs["groupBy"], row: Pick<Schemas["CostRow"], "key" | "name">): string => (by === "kind" ? (texts.kinds[row.key] ?? row.name) : row.name);

/** Costs as bars: for each day the dearest groups, and the others together. */
export function stacked(c: Costs): { series: Series[]; days: StackedDay[] } {
  const says = (amount: number | null, calls: number) => (calls === 0 ? (money(0, c.currency) ?? "") : (money(amount, c.currency) ?? texts.unknown));
  if (c.groupBy === "day") {
    const byDay = new Map(c.items.map((i) => [i.key, i]));
    return {
      series: [{ key: "all", name: texts.total }],
      days: daysOf(c.from, c.to).map((day) => {
        const d = byDay.get(day);
        const total = says(d?.costMicros ?? null, d?.calls ?? 0);
        return { day, values: [d?.costMicros ?? 0], says: [total], total };
      }),
    };
  }
  const days = new Map((c.byDay ?? []).map((d) => [d.day, d]));
  const named = [...new Set((c.byDay ?? []).flatMap((d) => d.parts.map((p) => p.key)))];
  const cost = new Map(c.items.map((i) => [i.key, i.costMicros ?? -1]));
  named.sort((a, b) => (cost.get(b) ?? -1) - (cost.get(a) ?? -1));
  const others = c.items.length > named.length;
  const name = (key: string) => nameOf(c.groupBy, c.items.find((i) => i.key === key) ?? { key, name: key });
  return {
    series: [...named.map((key) => ({ key, name: name(key) })), ...(others ? [{ key: "", name: texts.rest }] : [])],
    days: daysOf(c.from, c.to).map((day) => {
      const d = days.get(day);
      const parts = named.map((key) => d?.parts.find((p) => p.key === key));
      const values = parts.map((p) => p?.costMicros ?? 0);
      const words = parts.map((p) => says(p?.costMicros ?? null, p?.calls ?? 0));
      if (others) {
        const rest = Math.max(0, (d?.costMicros ?? 0) - values.reduce((a, b) => a + b, 0));
        values.push(rest);
        words.push(says(rest, 1));
      }
      return { day, values, says: words, total: says(d?.costMicros ?? null, d?.calls ?? 0) };
    }),
  };
}

/** The share of input that was read from a cache; undefined without input. */
export const cachedShare = (f: Pick<Schemas["CostFigures"], "inputTokens" | "cachedTokens">): number | undefined => (f.inputTokens > 0 ? f.cachedTokens / f.inputTokens : undefined);

/** A value of a CSV file (RFC 4180). Values that a spreadsheet would treat as formulas become text. */
function cell(value: string | number | null): string {
  const plain = value === null ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Costs as a file for a spreadsheet: amounts in millionths of the currency, as the service has them; an unknown one is empty. */
export function csv(c: Costs): string {
  const columns = ["calls", "inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens", "costMicros", "unpricedCalls", "estimatedCalls"] as const;
  const rows = c.items.map((i) => [i.key, i.name, c.currency, ...columns.map((k) => i[k])]);
  return [[c.groupBy, "name", "currency", ...columns], ...rows].map((r) => r.map(cell).join(",") + "\r\n").join("");
}
