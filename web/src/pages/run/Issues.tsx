import { Anchor, Code, Stack, Text } from "@mantine/core";
import { verdictTones } from "@/pages/records/Judged";
import { records } from "@/texts/records";
import { reviewHead as texts } from "@/texts/reviewHead";
import { StateMark } from "@/ui/StateMark";
import { place } from "./grouping";
import { type Check, isOpen, metOf, type RunIssue, unmetFirst } from "./criteria";
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
  const { met, of } = metOf(i);
  const url = webLink(i.url);
  const sorted = unmetFirst(i.checks);
  const open = sorted.filter(isOpen);
  const closed = sorted.filter((c) => !isOpen(c));
  const title = i.keyOnly ? records.keyOnly : i.title;
  return (
    <details className="sheet" open={met < of}>
      <summary className="wrap-anywhere">
        <bdi>
          {i.issueKey} {title}
        </bdi>{" "}
        · {of > 0 ? texts.issues.met(met, of) : texts.issues.none}
      </summary>
      <Stack gap="xs" mt="xs">
        {url !== "" && (
          <Anchor size="sm" href={url} rel="noreferrer">
            {texts.issues.open(i.issueKey)}
          </Anchor>
        )}
        {i.unread && <Text size="sm">{i.unread}</Text>}
        <Criteria of={open} />
        {open.length === 0 ? (
          <Criteria of={closed} />
        ) : (
          closed.length > 0 && (
            <details>
              <summary>{texts.issues.others(closed.length)}</summary>
              <Criteria of={closed} />
            </details>
          )
        )}
      </Stack>
    </details>
  );
}

function Criteria({ of }: { of: readonly Check[] }) {
  if (of.length === 0) return null;
  return (
    <ul className="criteria">
      {of.map((c) => (
        <li key={c.id}>
          <StateMark tone={verdictTones[c.verdict]}>{records.verdicts[c.verdict]}</StateMark>{" "}
          <span className="outside">{c.criterion}</span>
          {c.reason !== "" && (
            <Text size="sm" c="dimmed" className="outside">
              {c.reason}
            </Text>
          )}
          {c.evidence
            .filter((e) => e.path !== "")
            .map((e, n) => (
              <Code key={n} className="wrap-anywhere" mr="xs">
                {place(e)}
              </Code>
            ))}
        </li>
      ))}
    </ul>
  );
}
