import { NativeSelect, NumberInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { budgets as texts } from "@/texts/costs";
import type { Values } from "./budget";

/** The fields of a budget of a month and of the limits of one review and one pull request. */
export function BudgetFields({ form }: { form: UseFormReturnType<Values> }) {
  const amount = { min: 0, decimalScale: 6, hideControls: true, autoComplete: "off", prefix: "$", thousandSeparator: "," };
  return (
    <>
      <NumberInput label={texts.amount} description={texts.amountHelp} max={1_000_000_000} {...amount} {...form.getInputProps("budget.monthlyMicros")} data-autofocus />
      <NativeSelect label={texts.mode} description={texts.hardNeeds} autoComplete="off" data={Object.entries(texts.modes).map(([value, label]) => ({ value, label }))} {...form.getInputProps("budget.mode")} />
      <NumberInput label={texts.tokens} description={texts.tokensHelp} min={0} max={1_000_000_000} allowDecimal={false} hideControls thousandSeparator="," autoComplete="off" {...form.getInputProps("limits.maxTokensPerReview")} />
      <NumberInput label={texts.cost} description={texts.costHelp} max={1_000_000} {...amount} {...form.getInputProps("limits.maxCostMicrosPerReview")} />
      <NumberInput label={texts.pullCost} description={texts.pullCostHelp} max={1_000_000} {...amount} {...form.getInputProps("limits.maxCostMicrosPerPullRequest")} />
    </>
  );
}
