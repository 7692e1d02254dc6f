import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { PullPath } from "@/api/pulls";
import { keys, type Schemas } from "@/api/queries";
import { Criteria, metOf } from "@/pages/records/Criteria";
import { webLink } from "@/pages/run/webLink";
import { pull as texts } from "@/texts/pull";
import { records } from "@/texts/records";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";

type Ticket = Schemas["PullRequestTicket"];

/** The tickets of a pull request with their acceptance criteria, unmet ones first. */
export function Tickets({ path }: { path: PullPath }) {
  const query = useQuery({
    queryKey: keys.tenant(path.tenantId, "pull-requests", path.repositoryId, "tickets", path.number),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/pull-requests/{number}/tickets", { params: { path: { ...path } }, signal })),
  });
  return (
    <Loaded query={query} lines={3}>
      {({ issues }) =>
        issues.length === 0 ? (
          <Text>{texts.noTickets}</Text>
        ) : (
          <Stack gap="md">
            {issues.map((i) => (
              <One key={i.id} ticket={i} />
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}

function One({ ticket: t }: { ticket: Ticket }) {
  const address = webLink(t.url);
  const { met, of } = metOf(t.criteria);
  const name = t.title === "" ? t.issueKey : `${t.issueKey} ${t.title}`;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        {address === "" ? (
          <Outside says={name} />
        ) : (
          <Anchor href={address} rel="noreferrer">
            <Outside says={name} />
          </Anchor>
        )}
        {t.state !== "" && (
          <Text size="sm" c="dimmed">
            <Outside says={t.state} />
          </Text>
        )}
        {of > 0 && <StateMark tone={met === of ? "good" : "warn"}>{records.met(met, of)}</StateMark>}
      </Group>
      <Text size="sm" c="dimmed">
        {notes(t)}
      </Text>
      <Criteria of={t.criteria} />
    </Stack>
  );
}

/** What a ticket lacks, in sentences. */
function notes(t: Ticket): string {
  const unread = t.keyOnly ? texts.keyOnly : t.unread ? t.unread : t.readAt ? "" : records.notLookedAt;
  return [unread, t.criteria.length === 0 ? texts.unjudged : "", t.recheck ?? ""].filter((s) => s !== "").join(" ");
}
