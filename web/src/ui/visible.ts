/**
 * Characters without a glyph, and characters that change the order of others: control and format
 * characters, private-use characters, line separators, and those that Unicode calls ignorable. A tab
 * is shown as space.
 */
const hidden = /(?!\t)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Parts of an emoji: a joiner between two pictures, and what chooses the picture. */
const emoji = /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?(?:\u200d\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)*/gu;

const name = (c: string) => `[U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;

/** Writes the names of hidden characters in their place, such as [U+202E], so that a text reads as compilers read it. */
export function visible(text: string): string {
  let out = "";
  let end = 0;
  for (const m of text.matchAll(emoji)) {
    out += text.slice(end, m.index).replace(hidden, name) + m[0];
    end = m.index + m[0].length;
  }
  return out + text.slice(end).replace(hidden, name);
}

/** Writes the names of hidden characters in their place, as {@link visible} does, and keeps line breaks. */
export const visibleLines = (text: string): string => text.split(/\r?\n/).map(visible).join("\n");
