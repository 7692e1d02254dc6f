import type { Schemas } from "@/api/queries";

type Price = Schemas["LlmPrice"];
type Routed = Schemas["RoutedPrice"];

/** A price as entered, in dollars for a million tokens; "" is no price. */
export type PriceValues = { input: number | string; output: number | string; cacheRead: number | string; cacheWrite: number | string };

const micros = 1_000_000;

/** A routed model once for each kind of key, with the places that use it. */
export function models(routed: readonly Routed[]): { kind: Routed["kind"]; model: string; price: Routed["price"]; uses: Routed[] }[] {
  const out = new Map<string, { kind: Routed["kind"]; model: string; price: Routed["price"]; uses: Routed[] }>();
  for (const r of routed) {
    const key = `${r.kind} ${r.model}`;
    const known = out.get(key);
    if (known) known.uses.push(r);
    else out.set(key, { kind: r.kind, model: r.model, price: r.price, uses: [r] });
  }
  return [...out.values()];
}

const of = (items: readonly Price[], kind: string, model: string) => items.filter((p) => p.model === model && (p.kind === undefined || p.kind === kind));

/** Whether the tenant has entered the price of a model. */
export const entered = (items: readonly Price[], kind: string, model: string): boolean => of(items, kind, model).length > 0;

export const valuesOf = (price: Routed["price"]): PriceValues => {
  const dollars = (v: number | undefined) => (v === undefined ? "" : v / micros);
  return { input: dollars(price?.inputMicros), output: dollars(price?.outputMicros), cacheRead: dollars(price?.cacheReadMicros), cacheWrite: dollars(price?.cacheWriteMicros) };
};

/** Whether an entered price can be sent. */
export const isAmount = (v: number | string): v is number => typeof v === "number" && Number.isFinite(v) && v >= 0;

/**
 * All prices with a new one that replaces the present one from now on. Earlier ones with a day stay,
 * because they were in effect before.
 */
export function withPrice(items: readonly Price[], kind: Routed["kind"], model: string, v: PriceValues, now: Date): Price[] {
  const begun = of(items, kind, model).some((p) => p.from !== undefined && Date.parse(p.from) <= now.getTime());
  const amount = (x: number | string) => (isAmount(x) ? Math.round(x * micros) : undefined);
  const [read, write] = [amount(v.cacheRead), amount(v.cacheWrite)];
  const entry: Price = {
    kind,
    model,
    ...(begun ? { from: now.toISOString() } : {}),
    inputMicros: amount(v.input) ?? 0,
    outputMicros: amount(v.output) ?? 0,
    ...(read === undefined ? {} : { cacheReadMicros: read }),
    ...(write === undefined ? {} : { cacheWriteMicros: write }),
  };
  // A price for every kind holds for other keys too, and stays; of one kind and model there is one without a day.
  const rest = items.filter((p) => !(p.model === model && p.kind === kind && p.from === entry.from));
  return [...rest, entry];
}

/** All prices without those of a model. */
export const withoutPrice = (items: readonly Price[], kind: string, model: string): Price[] => items.filter((p) => !of([p], kind, model).length);
