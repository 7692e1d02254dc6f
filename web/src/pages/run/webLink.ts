/** An address of the web, "" for anything else: what a host sent is no script. */
export function webLink(raw: string | undefined): string {
  if (!raw) return "";
  try {
    const url = new URL(raw);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : "";
  } catch {
    return "";
  }
}
