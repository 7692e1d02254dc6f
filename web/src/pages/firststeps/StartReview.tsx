import { useState } from "react";
import { Button, Group, List, NumberInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys } from "@/api/queries";
import { firstSteps } from "@/texts/firststeps";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { RunLink } from "@/ui/RunLink";
import { Trouble } from "@/ui/Trouble";

const texts = firstSteps.start;

/** Starts the review of an open pull request if no event has started one. */
export function StartReview({ tenantId }: { tenantId: string }) {
  const client = useQueryClient();
  const [repositoryId, choose] = useState("");
  const [number, enter] = useState<number | string>("");
  const pulls = useQuery({
    queryKey: keys.tenant(tenantId, "pull-requests", repositoryId, "open"),
    queryFn: async ({ signal }) => (await ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests", { params: { path: { tenantId, repositoryId }, query: { state: "open", limit: 10 } }, signal }))).items,
    enabled: repositoryId !== "",
  });
  const start = useMutation({
    mutationFn: (number: number) => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests/{number}/review", { params: { path: { tenantId, repositoryId, number: String(number) } } })),
    onSuccess: () => {
      notice(texts.started);
      return client.invalidateQueries({ queryKey: keys.tenant(tenantId, "first-steps") });
    },
  });
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
          {(all) =>
            all.length === 0 ? (
              <Text>{texts.none}</Text>
            ) : (
              <List spacing="xs" listStyleType="none" p={0}>
                {all.map((p) => (
                  <List.Item key={p.number}>
                    <Group gap="xs">
                      <Button size="compact-sm" variant="default" loading={start.isPending && start.variables === p.number} disabled={start.isPending} onClick={() => start.mutate(p.number)}>
                        {texts.does(p.number)}
                      </Button>
                      <bdi>{p.title}</bdi>
                      {p.draft && <Text size="sm">{texts.draft}</Text>}
                    </Group>
                  </List.Item>
                ))}
              </List>
            )
          }
        </Loaded>
      )}
      {repositoryId !== "" && (
        <Group align="flex-end">
          <NumberInput label={texts.number} min={1} allowDecimal={false} hideControls autoComplete="off" value={number} onChange={enter} />
          <Button variant="default" disabled={typeof number !== "number" || start.isPending} onClick={() => typeof number === "number" && start.mutate(number)}>
            {texts.byNumber}
          </Button>
        </Group>
      )}
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
