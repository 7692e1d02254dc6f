import { run as texts } from "@/texts/run";
import { StateMark, type Tone } from "@/ui/StateMark";
import type { Finding } from "./types";

const tones: Record<Finding["severity"], Tone> = { critical: "bad", high: "bad", medium: "warn", low: "busy", info: "quiet" };

/** The severity in words, with how many there are where that is given. */
export function SeverityMark({ severity, count }: { severity: Finding["severity"]; count?: number }) {
  const word = texts.findings.severity(severity);
  return <StateMark tone={tones[severity]}>{count === undefined ? word : `${count} ${word}`}</StateMark>;
}
