import { ValueTable } from "./ValueTable";

/** One difference: its name, and both values in the words of readers. */
export interface Differing {
  key: string;
  name: string;
  before: string;
  after: string;
}

interface Props {
  caption: string;
  headings: { name: string; before: string; after: string };
  rows: readonly Differing[];
}

/** The former and the new values, one by one. */
export function Difference({ caption, headings, rows }: Props) {
  return (
    <ValueTable
      caption={caption}
      headings={[headings.name, headings.before, headings.after]}
      rows={rows.map((r) => ({ key: r.key, name: r.name, values: [<del key="before" className="plain">{r.before}</del>, <ins key="after" className="plain">{r.after}</ins>] }))}
    />
  );
}
