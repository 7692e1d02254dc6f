import { useEffect, useState } from "react";
import { Button, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { llmPolicyQuery } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { budgets as texts } from "@/texts/costs";
import { FormModal } from "@/ui/FormModal";
import { count, money } from "@/ui/format";
import { Loaded } from "@/ui/Loaded";
import { BudgetForm } from "./BudgetForm";

interface Props {
  tenantId: string;
  /** "": the tenant's. */
  repository: string;
  budget: Schemas["MonthBudget"] | undefined;
  currency: string;
  admin: boolean;
}

/** The budget of the month: spent and reserved amounts, the action at its limit, and the page where it is set. */
export function Budget({ tenantId, repository, budget: b, currency, admin }: Props) {
  const policy = useQuery({ ...llmPolicyQuery(tenantId), enabled: admin });
  const [editing, edit] = useState(false);
  useEffect(() => {
    if (location.hash === "#budget") document.getElementById("budget")?.scrollIntoView(); // it is loaded after the page
  }, []);
  const says = (amount: number) => money(amount, currency) ?? "";
  const part = (amount: number) => (b && b.monthlyMicros > 0 ? Math.min(100, (amount / b.monthlyMicros) * 100) : 100);
  return (
    <section className="sheet" aria-labelledby="budget">
      <Stack gap="xs" align="stretch">
        <Title order={2} id="budget">
          {texts.title}
        </Title>
        {b ? (
          <>
            <Text>{texts.of(says(b.spentMicros), says(b.monthlyMicros))}</Text>
            <Progress.Root>
              <Progress.Section value={part(b.spentMicros)} color={b.spentMicros >= b.monthlyMicros ? "red.9" : "brand"} aria-label={texts.meter(Math.round(part(b.spentMicros)))} />
              <Progress.Section value={Math.min(100 - part(b.spentMicros), part(b.reservedMicros))} color="gray.6" aria-hidden />
            </Progress.Root>
            {b.reservedMicros > 0 && <Text size="sm">{texts.reserved(says(b.reservedMicros))}</Text>}
            <Text size="sm">{texts[b.mode]}</Text>
            {repository !== "" && <Text size="sm">{texts.repositoryOwn}</Text>}
            {repository === "" && policy.data && !policy.data.budget && <Text size="sm">{texts.fromSettings}</Text>}
          </>
        ) : (
          <Text>{texts.none}</Text>
        )}
        {admin && repository === "" && (
          <Loaded query={policy} lines={1}>
            {(p) => (
              <>
                {(p.limits?.maxTokensPerReview !== undefined || p.limits?.maxCostMicrosPerReview !== undefined) && <Text size="sm">{texts.limits([p.limits.maxTokensPerReview === undefined ? "" : text.common.tokens(count(p.limits.maxTokensPerReview)), p.limits.maxCostMicrosPerReview === undefined ? "" : says(p.limits.maxCostMicrosPerReview)].filter(Boolean).join(", "))}</Text>}
                {p.limits?.maxCostMicrosPerPullRequest !== undefined && <Text size="sm">{texts.pullLimit(says(p.limits.maxCostMicrosPerPullRequest))}</Text>}
                <Group>
                  <Button size="xs" variant="default" onClick={() => edit(true)}>
                    {p.budget ? texts.change : texts.set}
                  </Button>
                </Group>
                <FormModal title={texts.set} open={editing} close={() => edit(false)}>
                  {() => <BudgetForm key={p.version} tenantId={tenantId} policy={p} done={() => edit(false)} />}
                </FormModal>
              </>
            )}
          </Loaded>
        )}
      </Stack>
    </section>
  );
}
