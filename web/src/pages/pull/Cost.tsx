import { Progress, Stack, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { pull as texts } from "@/texts/pull";
import { money } from "@/ui/format";
import { PageLink } from "@/ui/links";

interface Props {
  tenantId: string;
  repositoryId: string;
  cost: Schemas["PullRequestCost"];
}

/** What a pull request has cost over its life, against its limit and with the place of the limit. */
export function Cost({ tenantId, repositoryId, cost: c }: Props) {
  const spent = money(c.costMicros, c.currency) ?? "";
  const limit = c.limitMicros === undefined ? undefined : money(c.limitMicros, c.currency);
  const percent = c.limitMicros ? Math.min(100, Math.round((100 * c.costMicros) / c.limitMicros)) : 0;
  return (
    <Stack gap={4} maw={360}>
      <span>
        {limit === undefined ? `${spent} (${texts.noLimit})` : texts.costOf(spent, limit)}
        {c.reservedMicros > 0 && ` · ${texts.reserved(money(c.reservedMicros, c.currency) ?? "")}`}
      </span>
      {limit !== undefined && <Progress value={percent} color={percent >= 100 ? "red" : "teal"} aria-label={texts.share(percent)} />}
      {c.limitFrom === "tenant" && (
        <PageLink to="/t/$tenantId/costs" params={{ tenantId }} size="sm">
          {texts.limitFrom.tenant}
        </PageLink>
      )}
      {c.limitFrom === "repository" && (
        <PageLink to="/t/$tenantId/costs" params={{ tenantId }} search={{ repository: repositoryId }} size="sm">
          {texts.limitFrom.repository}
        </PageLink>
      )}
      {percent >= 100 && <Text size="sm">{texts.limitReached}</Text>}
    </Stack>
  );
}
