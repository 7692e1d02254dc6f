import { IconBuilding, IconFileText, IconFolder, IconPackage, IconSparkles } from "@tabler/icons-react";
import type { Schemas } from "@/api/queries";

export type Origin = Schemas["FeatureSetting"]["origin"];

const signs = { default: IconPackage, tenant: IconBuilding, newRepositories: IconSparkles, repository: IconFolder, file: IconFileText } as const;

/** The origin of a setting's value, by sign and word. A value from this place stands out. */
export function OriginMark({ origin, here = false, children }: { origin: Origin; here?: boolean; children: string }) {
  const Sign = signs[origin];
  return (
    <span className={`state ${here ? "busy" : "quiet"}`}>
      <Sign size={14} aria-hidden />
      {children}
    </span>
  );
}
