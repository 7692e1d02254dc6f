/** A value of a setting. Some settings have the value null. */
export type Value = boolean | number | string | null | readonly string[];

/** The settings of a document, by their names with dots. Settings without a value are absent. */
export type Said = Readonly<Record<string, Value>>;

/** How a setting is entered, with the bounds of the service's description. */
export type Kind =
  | { kind: "switch" }
  /** none: null is a further value, without an option. unbuilt: options that the service refuses until they are built. */
  | { kind: "choice"; options: readonly string[]; unbuilt?: readonly string[]; none?: true }
  | { kind: "number"; min: number; max: number; step?: number }
  /** In millionths of a currency; 0 is no amount. */
  | { kind: "money"; max: number }
  | { kind: "text"; min: number; max: number }
  | { kind: "zone"; max: number }
  /** An entry of a list of the tenant; "" for no entry. */
  | { kind: "listed"; max: number }
  | { kind: "list"; most: number };

/** A setting of a document: its name there, its place on the page, and its default. */
export type Setting = { name: string; group: string; builtIn?: Value } & Kind;

export const same = (a: Value | undefined, b: Value | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
