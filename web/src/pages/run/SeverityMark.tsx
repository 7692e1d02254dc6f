import { IconAlertHexagon, IconAlertTriangle, IconChevronDown, IconChevronsUp, IconInfoCircle } from "@tabler/icons-react";
import { run as texts } from "@/texts/run";
import type { Finding } from "./types";

const signs = { critical: IconAlertHexagon, high: IconChevronsUp, medium: IconAlertTriangle, low: IconChevronDown, info: IconInfoCircle } as const;

/** The severity as a filled chip with a sign and a word, with how many there are where that is given. */
export function SeverityMark({ severity, count }: { severity: Finding["severity"]; count?: number }) {
  const Sign = signs[severity];
  const word = texts.findings.severity(severity);
  return (
    <span className={`severity ${severity}`}>
      <Sign size={14} aria-hidden />
      {count === undefined ? word : `${count} ${word}`}
    </span>
  );
}
