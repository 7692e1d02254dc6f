import { Fragment } from "react";
import { visibleLines } from "./visible";

const token = /(\[U\+[0-9A-F]{4,6}\])/;

/**
 * Text from outside, in its own direction. Characters that have no glyph or change the order of others
 * are shown by their names, such as U+202E, so that people read the text that programs read.
 */
export function Outside({ says }: { says: string }) {
  const shown = visibleLines(says);
  if (shown === says) return <bdi>{says}</bdi>;
  return <bdi>{shown.split(token).map((part, i) => (token.test(part) ? <mark key={i} className="hidden-character">{part}</mark> : <Fragment key={i}>{part}</Fragment>))}</bdi>;
}
