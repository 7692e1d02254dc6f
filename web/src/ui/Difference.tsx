import { ValueTable } from "./ValueTable";

/** One thing that is different: what it is called, and both values as readers know them. */
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

/** What was and what will be, thing by thing. */
export function Difference({ caption, headings, rows }: Props) {
  return (
    <ValueTable
      caption={caption}
      headings={[headings.name, headings.before, headings.after]}
      rows={rows.map((r) => ({ key: r.key, name: r.name, values: [<del key="before" className="plain">{r.before}</del>, <ins key="after" className="plain">{r.after}</ins>] }))}
    />
  );
}
