import { Table } from "@mantine/core";
import { day } from "./format";
import { text } from "@/texts";
import "./stacks.css";
import { Scroll } from "./Scroll";
import { Outside } from "./Outside";

/** A part of the bars, from the ground up. */
export interface Series {
  key: string;
  name: string;
}

/** A day: how high each part is, and how parts and sum are written. */
export interface StackedDay {
  day: string;
  values: readonly number[];
  says: readonly string[];
  total: string;
}

interface Props {
  /** The description of the picture, for people who cannot see it. */
  title: string;
  series: readonly Series[];
  days: readonly StackedDay[];
  /** Headings of the table: of its first and of its last column. */
  dayHeading: string;
  totalHeading: string;
}

const [width, height, gap] = [720, 160, 3];

/** How many parts have a colour of their own. */
export const mostSeries = 6;

/** Divided bars of days, with the same figures as a table: the picture is never the only source. */
export function Stacks({ title, series, days, dayHeading, totalHeading }: Props) {
  const sums = days.map((d) => d.values.reduce((a, b) => a + b, 0));
  const most = Math.max(1e-9, ...sums);
  const step = width / Math.max(1, days.length);
  const thin = Math.min(gap, step / 4);
  return (
    <figure className="bars stacks">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title} preserveAspectRatio="none">
        {days.map((d, i) => (
          <g key={d.day}>
            <title>{text.overview.bar(day(d.day), d.total)}</title>
            <rect x={i * step} y={0} width={step} height={height} className="ground" />
            {sums[i] === 0 ? (
              <rect x={i * step + thin / 2} y={height - 1} width={step - thin} height={1} className="none" />
            ) : (
              d.values.map((v, n) => {
                const below = d.values.slice(0, n).reduce((a, b) => a + b, 0);
                const high = (v / most) * height;
                return v > 0 && <rect key={series[n]!.key} x={i * step + thin / 2} y={height - (below / most) * height - high} width={step - thin} height={high} className={`part p${n % mostSeries}`} />;
              })
            )}
          </g>
        ))}
      </svg>
      {days.length > 0 && (
        <div className="ends" aria-hidden>
          <span>{day(days[0]!.day)}</span>
          <span>{day(days[days.length - 1]!.day)}</span>
        </div>
      )}
      {series.length > 1 && (
        <ul className="legend">
          {series.map((s, n) => (
            <li key={s.key}>
              <svg viewBox="0 0 12 12" aria-hidden>
                <rect width={12} height={12} rx={2} className={`part p${n % mostSeries}`} />
              </svg>
              <Outside says={s.name} />
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>{text.overview.asTable}</summary>
        <Scroll label={title} width={320 + series.length * 90}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{dayHeading}</Table.Th>
                {series.length > 1 &&
                  series.map((s) => (
                    <Table.Th key={s.key} scope="col" className="numbers">
                      {s.name}
                    </Table.Th>
                  ))}
                <Table.Th scope="col" className="numbers">
                  {totalHeading}
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.map((d) => (
                <Table.Tr key={d.day}>
                  <Table.Td>
                    <time dateTime={d.day}>{day(d.day)}</time>
                  </Table.Td>
                  {series.length > 1 &&
                    series.map((s, n) => (
                      <Table.Td key={s.key} className="numbers">
                        {d.says[n]}
                      </Table.Td>
                    ))}
                  <Table.Td className="numbers">{d.total}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scroll>
      </details>
    </figure>
  );
}
