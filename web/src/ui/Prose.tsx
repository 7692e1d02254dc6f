import { Fragment } from "react";
import { Code, Text } from "@mantine/core";
import { visibleLines } from "./visible";

/** The parts of a text between backticks, as Markdown has code in a line; one without its partner is text. */
export function parts(text: string): { code: boolean; text: string }[] {
  const out: { code: boolean; text: string }[] = [];
  let from = 0;
  for (const found of text.matchAll(/`([^`\n]+)`/g)) {
    if (found.index > from) out.push({ code: false, text: text.slice(from, found.index) });
    out.push({ code: true, text: found[1] ?? "" });
    from = found.index + found[0].length;
  }
  if (from < text.length) out.push({ code: false, text: text.slice(from) });
  return out;
}

/** Words of a model or of a person: text, with code in a line shown as code and nothing else of Markdown. Hidden characters have their names. */
export function Prose({ says, className }: { says: string; className?: string }) {
  return (
    <Text {...(className === undefined ? {} : { className })}>
      {parts(visibleLines(says)).map((p, i) => (p.code ? <Code key={i}>{p.text}</Code> : <Fragment key={i}>{p.text}</Fragment>))}
    </Text>
  );
}
