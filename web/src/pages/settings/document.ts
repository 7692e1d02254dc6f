import { same, type Said, type Value } from "./table";

type Document = Record<string, unknown>;

const isObject = (value: unknown): value is Document => typeof value === "object" && value !== null && !Array.isArray(value);

/** The settings in a document of the service, by their names with dots. Other members are left out. */
export function readSaid(names: readonly string[], document: unknown): Said {
  const out: Record<string, Value> = {};
  for (const name of names) {
    let at: unknown = document;
    for (const part of name.split(".")) at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
    if (at !== undefined) out[name] = at as Value;
  }
  return out;
}

/** The document with these settings. */
export function writeSaid(said: Said): Document {
  const out: Document = {};
  for (const [name, value] of Object.entries(said)) {
    const parts = name.split(".");
    const last = parts.pop()!;
    let at = out;
    for (const part of parts) {
      const inner = isObject(at[part]) ? at[part] : {};
      at[part] = inner;
      at = inner;
    }
    at[last] = value;
  }
  return out;
}

/** A changed setting; undefined: not set. */
export interface Change {
  name: string;
  before: Value | undefined;
  after: Value | undefined;
}

/** The differences, in the order of the names. */
export function changesOf(names: readonly string[], before: Said, after: Said): readonly Change[] {
  return names.filter((name) => !same(before[name], after[name])).map((name) => ({ name, before: before[name], after: after[name] }));
}

/** {@link Said} with one setting set, or removed if the value is undefined. */
export function say(said: Said, name: string, value: Value | undefined): Said {
  const rest = Object.fromEntries(Object.entries(said).filter(([other]) => other !== name));
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** The settings without the empty lines that a list may have during typing. */
export const tidy = (said: Said): Said => Object.fromEntries(Object.entries(said).map(([name, value]) => [name, Array.isArray(value) ? value.map((v) => String(v).trim()).filter((v) => v !== "") : value]));

/** The result of two people changing a document at the same time. */
export interface Meeting {
  /** The newest document with the person's changes. */
  draft: Said;
  /** The other person's changes. */
  theirs: readonly Change[];
  /** The settings that both have changed to different values. The draft has the person's own values. */
  both: readonly string[];
}

/** Applies the person's changes to another person's saved document, so that neither is lost. */
export function meet(names: readonly string[], base: Said, newest: Said, draft: Said): Meeting {
  const mine = changesOf(names, base, draft);
  const theirs = changesOf(names, base, newest);
  return {
    draft: mine.reduce((said, c) => say(said, c.name, c.after), newest),
    theirs,
    both: mine.filter((c) => theirs.some((t) => t.name === c.name && !same(t.after, c.after))).map((c) => c.name),
  };
}

/** The setting that a JSON pointer leads into, with the number of the entry in its list where it names one. */
export function settingAt(names: readonly string[], pointer: string): { name: string; entry?: number } | undefined {
  const parts = pointer
    .replace(/^\//, "")
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  for (let n = parts.length; n > 0; n--) {
    const name = parts.slice(0, n).join(".");
    if (!names.includes(name)) continue;
    const entry = parts[n] === undefined || parts[n] === "" ? Number.NaN : Number(parts[n]);
    return Number.isInteger(entry) ? { name, entry } : { name };
  }
  return undefined;
}

/** Whether a list of locked settings and groups covers a setting. */
export const isLocked = (locked: readonly string[], name: string): boolean => locked.some((l) => l === name || name.startsWith(`${l}.`));

/** The list with one setting locked, or not. A group that is locked whole becomes its other settings. */
export function setLock(locked: readonly string[], name: string, on: boolean, names: readonly string[]): readonly string[] {
  if (on) return isLocked(locked, name) ? locked : [...locked, name];
  return locked.flatMap((l) => {
    if (l === name) return [];
    return name.startsWith(`${l}.`) ? names.filter((n) => n.startsWith(`${l}.`) && n !== name) : [l];
  });
}
