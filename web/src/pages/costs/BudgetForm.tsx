import { Button, Group, NativeSelect, NumberInput, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { ifMatch, llmPolicyQuery } from "@/api/models";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { budgets as texts } from "@/texts/costs";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";
import { body, valuesOf } from "./budget";

/** Sets the tenant's budget, and the limits of one review. */
export function BudgetForm({ tenantId, policy, done }: { tenantId: string; policy: Schemas["LlmPolicy"]; done: () => void }) {
  const client = useQueryClient();
  const fresh = () => client.invalidateQueries({ queryKey: llmPolicyQuery(tenantId).queryKey });
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: valuesOf(policy),
    send: (values) => ok(api.PUT("/api/tenants/{tenantId}/llm-policy", { params: { path: { tenantId }, header: ifMatch(policy) }, body: body(policy, values) })),
    done: () => {
      done();
      void fresh();
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "costs") });
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "dashboard") });
    },
  });
  const amount = { min: 0, decimalScale: 6, hideControls: true, autoComplete: "off", prefix: "$", thousandSeparator: "," };
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={() => void fresh()} />
        <NumberInput label={texts.amount} description={texts.amountHelp} max={1_000_000_000} {...amount} {...form.getInputProps("budget.monthlyMicros")} />
        <NativeSelect label={texts.mode} description={texts.hardNeeds} autoComplete="off" data={Object.entries(texts.modes).map(([value, label]) => ({ value, label }))} {...form.getInputProps("budget.mode")} />
        <NumberInput label={texts.tokens} description={texts.tokensHelp} min={0} max={1_000_000_000} allowDecimal={false} hideControls thousandSeparator="," autoComplete="off" {...form.getInputProps("limits.maxTokensPerReview")} />
        <NumberInput label={texts.cost} description={texts.costHelp} max={1_000_000} {...amount} {...form.getInputProps("limits.maxCostMicrosPerReview")} />
        <Group>
          <Button type="submit" loading={sending}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
