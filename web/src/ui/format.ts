import { common } from "@/texts/common";

const { units } = common;

/** How many minor units of the wire one unit of a currency has. */
const micros = 1_000_000;

/** Returns a function that makes each formatter once, because making one takes as long as rendering a row of a list. */
function formatters<Options extends object, Formatter>(make: new (locale?: string, options?: Options) => Formatter): (locale?: string, options?: Options) => Formatter {
  const made = new Map<string, Formatter>();
  return (locale, options) => {
    const key = JSON.stringify([locale, options]);
    const formatter = made.get(key) ?? new make(locale, options);
    made.set(key, formatter);
    return formatter;
  };
}

const numbers = formatters<Intl.NumberFormatOptions, Intl.NumberFormat>(Intl.NumberFormat);
const dates = formatters<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(Intl.DateTimeFormat);
const relativeTimes = formatters<Intl.RelativeTimeFormatOptions, Intl.RelativeTimeFormat>(Intl.RelativeTimeFormat);

/** Money in micro-units of a currency. Amounts below a tenth have four digits. null is unknown, which is not zero. */
export function money(amount: number | null | undefined, currency: string, locale?: string): string | undefined {
  if (amount === null || amount === undefined) return undefined;
  const value = amount / micros;
  const small = value !== 0 && Math.abs(value) < 0.1;
  const digits = small ? { minimumFractionDigits: 2, maximumFractionDigits: 4 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  try {
    return numbers(locale, { style: "currency", currency, ...digits }).format(value);
  } catch {
    return `${numbers(locale, digits).format(value)} ${currency}`; // a name that is not an ISO 4217 code
  }
}

/** A count in full, with the marks of the reader's language. */
export function count(value: number, locale?: string): string {
  return numbers(locale).format(value);
}

/** A count that may be large, such as of tokens, in few characters. */
export function short(value: number, locale?: string): string {
  return numbers(locale, { notation: "compact", maximumSignificantDigits: 3 }).format(value);
}

/** A point in time in the reader's zone, to the second and with the zone. */
export function exactTime(iso: string, locale?: string): string {
  return dates(locale, { dateStyle: "full", timeStyle: "long" }).format(new Date(iso));
}

/** A day that is one of UTC, such as of figures: it has no zone of its own. */
export function day(date: string, locale?: string): string {
  return dates(locale, { day: "numeric", month: "short", timeZone: "UTC" }).format(new Date(`${date}T00:00:00Z`));
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How long ago something was, or how soon it is, in words. */
export function ago(iso: string, now: number, locale?: string): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const words = relativeTimes(locale, { numeric: "auto" });
  const whole = seconds > 0 ? Math.round : Math.trunc; // a link that was just made for seven days ends "in 7 days"
  for (const [unit, size] of steps) if (Math.abs(seconds) >= size) return words.format(whole(seconds / size), unit);
  return words.format(0, "second");
}

/** A span of time in milliseconds, in its two largest units. */
export function span(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} ${units.s}`;
  if (s < 3600) return `${Math.floor(s / 60)} ${units.min} ${s % 60} ${units.s}`;
  return `${Math.floor(s / 3600)} ${units.h} ${Math.floor((s % 3600) / 60)} ${units.min}`;
}

/** The beginning of a commit's id, as people write it. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}

/** A predicate of the service about a field, such as "must not be empty", as a sentence that stands at the field. */
export function sentence(says: string): string {
  const trimmed = says.trim();
  const begun = trimmed.charAt(0).toLocaleUpperCase("en") + trimmed.slice(1);
  return trimmed === "" || /[.!?:]$/.test(trimmed) ? begun : `${begun}.`;
}
