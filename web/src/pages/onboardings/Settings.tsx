import type { Schemas } from "@/api/queries";
import { onboarding as texts } from "@/texts/onboarding";
import { ValueTable } from "@/ui/ValueTable";
import { shown } from "./chosen";

/** The settings of a repository with who said them. */
export function Settings({ heading, of }: { heading: string; of: readonly Schemas["FeatureSetting"][] }) {
  return (
    <details>
      <summary>{heading}</summary>
      <ValueTable
        caption={heading}
        headings={[texts.setting, texts.value, texts.origin]}
        minWidth={420}
        rows={of.map((s) => ({ key: s.name, name: <code>{s.name}</code>, values: [shown(s.value, texts.nothing), texts.origins[s.origin]] }))}
      />
    </details>
  );
}
