import { Text } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { Quotation } from "./Quotation";
import type { Finding } from "./types";

/** What the checker said of a claim. A verdict that is proved has the code that proves it; any other has words. */
export function VerdictLine({ of: { verdict, verdictWhy: why } }: { of: Pick<Finding, "verdict" | "verdictWhy"> }) {
  const says = texts.findings.verdict(verdict);
  if (says === "") return null;
  if (why !== "" && (verdict === "confirmed" || verdict === "refuted")) return <Quotation caption={`${says}:`} text={why} label={texts.findings.proof} />;
  return (
    <Text className="outside">
      <b>{says}</b>
      {why !== "" && `: ${why}`}
    </Text>
  );
}
