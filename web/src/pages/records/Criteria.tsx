import { Code, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { place } from "@/pages/run/grouping";
import { records } from "@/texts/records";
import { Outside } from "@/ui/Outside";
import { StateMark, type Tone } from "@/ui/StateMark";
import "./criteria.css";

type Check = Schemas["AcceptanceCheck"];

/** How verdicts on criteria are shown. */
export const verdictTones: Record<Check["verdict"], Tone> = { met: "good", partly: "warn", not_met: "bad", unclear: "quiet", not_applicable: "quiet" };

/** Verdicts in the order in which they are read: what is missing first. */
const order: readonly Check["verdict"][] = ["not_met", "partly", "unclear", "met", "not_applicable"];

/** Reports whether the criterion still needs work: it is not known to be met, and applies to the change. */
const isOpen = (c: Check) => c.verdict !== "met" && c.verdict !== "not_applicable";

/** How many criteria are met, of those that apply to the change. */
export function metOf(checks: readonly Check[]): { met: number; of: number } {
  return { met: checks.filter((c) => c.verdict === "met").length, of: checks.filter((c) => c.verdict !== "not_applicable").length };
}

/** The verdicts on a ticket's criteria, unmet ones first. Beside those, the others are folded. */
export function Criteria({ of }: { of: readonly Check[] }) {
  const sorted = order.flatMap((v) => of.filter((c) => c.verdict === v));
  const open = sorted.filter(isOpen);
  if (open.length === 0) return <Verdicts of={sorted} />;
  const closed = sorted.slice(open.length);
  return (
    <>
      <Verdicts of={open} />
      {closed.length > 0 && (
        <details>
          <summary>{records.otherCriteria(closed.length)}</summary>
          <Verdicts of={closed} />
        </details>
      )}
    </>
  );
}

function Verdicts({ of }: { of: readonly Check[] }) {
  if (of.length === 0) return null;
  return (
    <ul className="criteria">
      {of.map((c) => (
        <li key={c.id}>
          <StateMark tone={verdictTones[c.verdict]}>{records.verdicts[c.verdict]}</StateMark>{" "}
          {c.criterion === "" ? records.hiddenCriterion : <Outside says={c.criterion} />}
          {c.reason !== "" && (
            <Text size="sm" c="dimmed">
              <Outside says={c.reason} />
            </Text>
          )}
          {c.evidence
            .filter((e) => e.path !== "")
            .map((e, n) => (
              <Code key={n} className="wrap-anywhere" mr="xs">
                <Outside says={place(e)} />
              </Code>
            ))}
        </li>
      ))}
    </ul>
  );
}
