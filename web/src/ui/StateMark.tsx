import { IconAlertTriangle, IconCheck, IconCircleDashed, IconClock, IconPlayerPlay, IconX } from "@tabler/icons-react";

/** The meaning of a state for the reader. It is shown by colour, sign and word: never by colour alone. */
export type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

const signs = { good: IconCheck, bad: IconX, warn: IconAlertTriangle, busy: IconPlayerPlay, quiet: IconCircleDashed } as const;

export function StateMark({ tone, children, waits = false }: { tone: Tone; children: string; waits?: boolean }) {
  const Sign = waits ? IconClock : signs[tone];
  return (
    <span className={`state ${tone}`}>
      <Sign size={14} aria-hidden />
      {children}
    </span>
  );
}
