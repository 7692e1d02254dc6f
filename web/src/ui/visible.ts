import { visible } from "@/pages/run/diff/hidden";

/** Writes the names of hidden characters in their place, as {@link visible} does, and keeps line breaks. */
export const visibleLines = (text: string): string => text.split(/\r?\n/).map(visible).join("\n");
