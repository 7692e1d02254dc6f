/** Something that people look for by its name, and by further words. */
export interface Findable {
  label: string;
  also?: string;
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/[^\p{L}\p{N}.]+/u).filter((w) => w !== "");

/** Reports whether each typed word begins a word of the name or of the further words, in any letter case. */
export function isFound({ label, also = "" }: Findable, typed: string): boolean {
  const words = wordsOf(`${label} ${also}`);
  return wordsOf(typed).every((part) => words.some((w) => w.startsWith(part)));
}
