import { Button, Stack, Text } from "@mantine/core";
import { type ReviewRequest, useReview } from "@/api/pulls";
import { pull as texts } from "@/texts/pull";
import { notice } from "./notice";
import { RunLink } from "./RunLink";
import { Trouble } from "./Trouble";

/** Requests a review of a pull request with one click, and leads to it. */
export function ReviewPull({ tenantId, repositoryId, request }: { tenantId: string; repositoryId: string; request: ReviewRequest }) {
  const asking = useReview(tenantId, repositoryId, (run) => notice(texts.begun(run.pullRequest.number)));
  return (
    <Stack gap="xs" align="flex-end">
      <Button variant={asking.data ? "default" : "filled"} loading={asking.isPending} onClick={() => asking.mutate(request)}>
        {texts.review}
      </Button>
      {asking.data && (
        <Text role="status" size="sm">
          <RunLink tenantId={tenantId} repositoryId={repositoryId} runId={asking.data.id}>
            {texts.watch}
          </RunLink>
        </Text>
      )}
      {asking.isError && <Trouble error={asking.error} />}
    </Stack>
  );
}
