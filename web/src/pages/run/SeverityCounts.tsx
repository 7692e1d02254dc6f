import { Group } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { SeverityMark } from "./SeverityMark";

/** The severities, the worst first. */
export const severities = ["critical", "high", "medium", "low", "info"] as const;

/** How many findings there are of each severity. Severities without a finding are left out. */
export function SeverityCounts({ of, none = text.common.none }: { of: Schemas["SeverityCounts"]; none?: string }) {
  const some = severities.filter((s) => of[s] > 0);
  if (some.length === 0) return <>{none}</>;
  return (
    <Group gap={4} component="span" display="inline-flex" className="severity-counts">
      {some.map((s) => (
        <SeverityMark key={s} severity={s} count={of[s]} />
      ))}
    </Group>
  );
}
