import { Anchor, Stack, Text } from "@mantine/core";
import { Criteria, metOf } from "@/pages/records/Criteria";
import { records } from "@/texts/records";
import { reviewHead as texts } from "@/texts/reviewHead";
import { Outside } from "@/ui/Outside";
import type { RunIssue } from "./types";
import { webLink } from "./webLink";

/** The tickets of a pull request with their acceptance criteria, unmet ones first. Those with an unmet criterion stand open, with the met ones folded. */
export function Issues({ of }: { of: readonly RunIssue[] }) {
  if (of.length === 0) return null;
  return (
    <Stack gap="xs" component="section" id="tickets" aria-label={texts.issues.heading} className="tickets">
      {of.map((i) => (
        <OneIssue key={i.issueKey} issue={i} />
      ))}
    </Stack>
  );
}

function OneIssue({ issue: i }: { issue: RunIssue }) {
  const { met, of } = metOf(i.checks);
  const url = webLink(i.url);
  const title = i.keyOnly ? records.keyOnly : i.title;
  return (
    <details className="sheet" open={met < of}>
      <summary className="wrap-anywhere">
        <Outside says={`${i.issueKey} ${title}`} />{" "}
        · {of > 0 ? records.met(met, of) : texts.issues.none}
      </summary>
      <Stack gap="xs" mt="xs">
        {url !== "" && (
          <Anchor size="sm" href={url} rel="noreferrer">
            {texts.issues.open(i.issueKey)}
          </Anchor>
        )}
        {i.unread && (
          <Text size="sm">
            <Outside says={i.unread} />
          </Text>
        )}
        <Criteria of={i.checks} />
      </Stack>
    </details>
  );
}
