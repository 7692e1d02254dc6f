import { Table } from "@mantine/core";

interface Props {
  /** The name of the table for people who cannot see it. */
  label: string;
  /** In CSS pixels; a narrower place scrolls the table by itself. */
  width: number;
  /** The most that it is high, in CSS pixels. */
  height?: number;
  children: React.ReactNode;
}

/** A table that scrolls by itself where the window is narrow, with the keyboard too. Its edge is shaded where columns are hidden. */
export function Scroll({ label, width, height, children }: Props) {
  return (
    <Table.ScrollContainer type="native" className="scroll" minWidth={width} {...(height === undefined ? {} : { mah: height })} tabIndex={0} role="group" aria-label={label}>
      {children}
    </Table.ScrollContainer>
  );
}
