/** A value of a setting. null is a value of its own where a setting has it. */
export type Value = boolean | number | string | null | readonly string[];

/** What a document says, by the names of settings with dots; what it does not say is absent. */
export type Said = Readonly<Record<string, Value>>;

/** How a setting is entered, with the bounds of the service's description. */
export type Kind =
  | { kind: "switch" }
  /** none: there is a further value, null, that means none of them. unbuilt: options that the service refuses until they are built. */
  | { kind: "choice"; options: readonly string[]; unbuilt?: readonly string[]; none?: true }
  | { kind: "number"; min: number; max: number; step?: number }
  /** In millionths of a currency; 0 is none. */
  | { kind: "money"; max: number }
  | { kind: "text"; min: number; max: number }
  | { kind: "zone"; max: number }
  /** One of what a list of the tenant has; "" for none. */
  | { kind: "listed"; max: number }
  | { kind: "list"; most: number };

/** A setting of a document: what it is called there, where it stands on the page, and what holds where nobody says anything. */
export type Setting = { name: string; group: string; builtIn?: Value } & Kind;

export const same = (a: Value | undefined, b: Value | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
