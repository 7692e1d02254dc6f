import { useState } from "react";
import { Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { reviewRequest, useOpenPulls, useReview } from "@/api/pulls";
import { keys } from "@/api/queries";
import { firstSteps } from "@/texts/firststeps";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { OpenPullsNote } from "@/ui/OpenPullsNote";
import { Outside } from "@/ui/Outside";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { ReviewByNumber } from "@/ui/ReviewByNumber";
import { RunLink } from "@/ui/RunLink";
import { Trouble } from "@/ui/Trouble";

const texts = firstSteps.start;

/** Starts the review of an open pull request if no event has started one. It lists the pull requests of the repository first, unless first is "". */
export function StartReview({ tenantId, first }: { tenantId: string; first: string }) {
  const [repositoryId, choose] = useState(first);
  const pulls = useQuery({
    queryKey: keys.tenant(tenantId, "pull-requests", repositoryId, "open"),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests", { params: { path: { tenantId, repositoryId }, query: { state: "open", limit: 10 } }, signal })),
    enabled: repositoryId !== "",
  });
  const open = useOpenPulls(tenantId, repositoryId, repositoryId !== "");
  const start = useReview(tenantId, repositoryId, () => notice(texts.started));
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {texts.title}
      </Title>
      <RepositoryPicker tenantId={tenantId} value={repositoryId} onChange={choose} />
      {repositoryId === "" ? (
        <Text size="sm">{texts.repository}</Text>
      ) : (
        <Loaded query={pulls}>
          {({ items: all, nextCursor }) =>
            all.length === 0 ? (
              !open.isFetching && <Text>{texts.none}</Text>
            ) : (
              <List spacing="xs" listStyleType="none" p={0}>
                {all.map((p) => (
                  <List.Item key={p.number}>
                    <Group gap="xs">
                      <Button size="compact-sm" variant="default" loading={start.isPending && start.variables?.number === p.number} disabled={start.isPending} onClick={() => start.mutate(reviewRequest(p))}>
                        {texts.does(p.number)}
                      </Button>
                      <Outside says={p.title} />
                      {p.draft && <Text size="sm">{texts.draft}</Text>}
                    </Group>
                  </List.Item>
                ))}
                {nextCursor && (
                  <List.Item>
                    <PageLink to="/t/$tenantId/repositories/$repositoryId" params={{ tenantId, repositoryId }} search={{ state: "open" }}>
                      {texts.more}
                    </PageLink>
                  </List.Item>
                )}
              </List>
            )
          }
        </Loaded>
      )}
      {repositoryId !== "" && <OpenPullsNote of={open} />}
      {repositoryId !== "" && <ReviewByNumber busy={start.isPending} ask={(number) => start.mutate({ number, reviewedBy: "" })} />}
      {start.isError && <Trouble error={start.error} />}
      {start.data && (
        <Text role="status">
          <RunLink tenantId={tenantId} repositoryId={start.data.repositoryId} runId={start.data.id}>
            {firstSteps.review.watch}
          </RunLink>
        </Text>
      )}
    </Stack>
  );
}
