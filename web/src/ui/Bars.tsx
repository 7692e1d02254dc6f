import { Table } from "@mantine/core";
import { text } from "@/texts";
import { day } from "./format";
import { Scroll } from "./Scroll";

/** A day of figures: the height of its bar, and its text. */
export interface Bar {
  day: string;
  value: number;
  says: string;
}

const [width, height, gap] = [560, 96, 6];

/** Bars of days, with the same figures as a table: the picture is never the only source. */
export function Bars({ bars, title, heading }: { bars: readonly Bar[]; title: string; heading: string }) {
  const most = Math.max(1e-9, ...bars.map((b) => b.value));
  const step = width / Math.max(1, bars.length);
  return (
    <figure className="bars">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title} preserveAspectRatio="none">
        {bars.map((b, i) => {
          const high = b.value === 0 ? 1 : Math.max(3, (b.value / most) * height);
          return (
            <g key={b.day}>
              <title>{text.overview.bar(day(b.day), b.says)}</title>
              <rect x={i * step} y={0} width={step} height={height} className="ground" />
              <rect x={i * step + gap / 2} y={height - high} width={step - gap} height={high} rx={2} className={b.value === 0 ? "none" : "bar"} />
            </g>
          );
        })}
      </svg>
      {bars.length > 0 && (
        <div className="ends" aria-hidden>
          <span>{day(bars[0]!.day)}</span>
          <span>{day(bars[bars.length - 1]!.day)}</span>
        </div>
      )}
      <details>
        <summary>{text.overview.asTable}</summary>
        <Scroll label={title} width={240}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{text.overview.day}</Table.Th>
                <Table.Th scope="col" className="numbers">
                  {heading}
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {bars.map((b) => (
                <Table.Tr key={b.day}>
                  <Table.Td>
                    <time dateTime={b.day}>{day(b.day)}</time>
                  </Table.Td>
                  <Table.Td className="numbers">{b.says}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scroll>
      </details>
    </figure>
  );
}
