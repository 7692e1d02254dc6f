import { Text } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { Quotation } from "./Quotation";
import type { Finding } from "./types";

/** The checker's verdict on a claim. A proved verdict has the code that proves it; others have words. */
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
