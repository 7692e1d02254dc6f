import { Button, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { ifMatch, llmPolicyQuery } from "@/api/models";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";
import { body, valuesOf } from "./budget";
import { BudgetFields } from "./BudgetFields";

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
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormTrouble problem={problem} conflict={conflict} reload={() => void fresh()} />
        <BudgetFields form={form} />
        <Group>
          <Button type="submit" loading={sending}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
