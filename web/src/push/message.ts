/** The content of a notification. */
export interface Shown {
  title: string;
  body: string;
  /** The same event is shown once. */
  tag: string;
  /** Where a click leads: always a page of this origin. */
  url: string;
}

const words = (value: unknown, most: number): string => (typeof value === "string" ? value.slice(0, most) : "");

/**
 * Reads a message in the form of internal/notify: {"kind", "eventId", "title", "body", "url"}. For any
 * other message the notification only says that something happened.
 */
export function read(raw: string | undefined, origin: string): Shown {
  let said: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(raw ?? "");
    if (typeof parsed === "object" && parsed !== null) said = parsed as Record<string, unknown>;
  } catch {
    // A browser has to show something for each message.
  }
  return { title: words(said["title"], 200) || "assay", body: words(said["body"], 1000), tag: words(said["eventId"], 100) || words(said["kind"], 100), url: within(said["url"], origin) };
}

/** An address of this origin as it is; the start page for every other one. */
export function within(address: unknown, origin: string): string {
  if (typeof address !== "string" || !URL.canParse(address, origin)) return `${origin}/`;
  const url = new URL(address, origin);
  return url.origin === origin ? url.href : `${origin}/`;
}
