import type { Schemas } from "@/api/queries";
import { onboarding as texts } from "@/texts/onboarding";
import { settingName, settingValue } from "@/texts/terms";
import { ValueTable } from "@/ui/ValueTable";

/** The settings of a repository with who said them. */
export function Settings({ heading, of }: { heading: string; of: readonly Schemas["FeatureSetting"][] }) {
  return (
    <details>
      <summary>{heading}</summary>
      <ValueTable
        caption={heading}
        headings={[texts.setting, texts.value, texts.origin]}
        minWidth={420}
        rows={of.map((s) => ({ key: s.name, name: settingName(s.name), values: [settingValue(s.name, s.value), texts.origins[s.origin]] }))}
      />
    </details>
  );
}
