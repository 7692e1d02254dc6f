import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { dryRun as texts } from "@/texts/dryrun";
import { run } from "@/texts/run";
import { tier } from "@/texts/terms";
import { count, money } from "@/ui/format";
import { ValueTable } from "@/ui/ValueTable";
import { currency } from "./currency";

/** The use of models for one pull request, by tier and model. */
export function TriedUsage({ number, of }: { number: number; of: readonly Schemas["TriedUsage"][] }) {
  if (of.length === 0) return null;
  const t = run.usage;
  return (
    <details>
      <summary>{texts.usage}</summary>
      <ValueTable
        caption={texts.usageCaption(number)}
        headings={[t.model, t.tier, t.calls, t.input, t.cached, t.output, t.cost]}
        minWidth={560}
        rows={of.map((u) => ({
          key: `${u.tier} ${u.model}`,
          name: u.model,
          values: [tier(u.tier), count(u.calls), count(u.inputTokens), count(u.cachedTokens), count(u.outputTokens), money(u.costMicros, currency) ?? text.common.unknown],
        }))}
      />
    </details>
  );
}
