import { Button, Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { BudgetFields } from "@/pages/costs/BudgetFields";
import { repositoryBody, valuesOf } from "@/pages/costs/budget";
import { text } from "@/texts";
import { routing as texts } from "@/texts/models";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

interface Props {
  own: Schemas["LlmPolicyParts"];
  put: (body: Schemas["RepoLlmPolicy"]) => Promise<unknown>;
  done: () => void;
  reload: () => void;
}

/** Sets the budget of one repository, and the limits of one of its reviews. Empty values are the tenant's. */
export function RepositoryBudget({ own, put, done, reload }: Props) {
  const { form, submit, sending, problem, conflict } = useServerForm({ initial: valuesOf(own), send: (values) => put(repositoryBody(own, values)), done });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{texts.budgetSays}</Text>
        <FormTrouble problem={problem} conflict={conflict} reload={reload} />
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
