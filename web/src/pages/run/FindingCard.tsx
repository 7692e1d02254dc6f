import { Anchor, Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDismiss } from "@/pages/findings/Dismissing";
import { run as texts } from "@/texts/run";
import { category, scope } from "@/texts/terms";
import { Outside } from "@/ui/Outside";
import { Prose } from "@/ui/Prose";
import { PageLink } from "@/ui/links";
import { StateMark } from "@/ui/StateMark";
import { finderOf, place } from "./grouping";
import type { RunLinks } from "./links";
import { Quotation } from "./Quotation";
import { SeverityMark } from "./SeverityMark";
import type { Finding } from "./types";
import { VerdictLine } from "./VerdictLine";
import { webLink } from "./webLink";

interface Props {
  finding: Finding;
  links: RunLinks;
  /** It stands among the changes already. */
  inChanges?: boolean;
  /** True on the finding's own page, which shows the title, the actions and the history itself. */
  standalone?: boolean;
  /** Heading level, so that the outline of the page has no gaps. */
  order?: 2 | 3 | 4 | 5;
}

/** One finding with all its data. */
export function FindingCard({ finding: f, links, inChanges = false, standalone = false, order = 4 }: Props) {
  const since = f.since;
  const changed = since && since.state !== f.state;
  const comment = webLink(since?.commentUrl);
  const dismiss = useDismiss();
  return (
    <Paper component="article" withBorder p="sm" id={f.id} data-finding={f.id}>
      <Stack gap="xs">
        <Group gap="xs" wrap="wrap" align="baseline">
          <SeverityMark severity={f.severity} />
          {stateNow(f) !== "open" && <StateMark tone="quiet">{texts.findings.state(stateNow(f))}</StateMark>}
          {!standalone && (
            <Title order={order} size="h5" className="wrap-anywhere finding-title">
              <PageLink {...links.finding(f.id)} c="inherit" inherit>
                <Outside says={f.title} />
              </PageLink>
            </Title>
          )}
          {!standalone && dismiss && stateNow(f) === "open" && (
            <Button size="compact-sm" variant="default" ml="auto" aria-label={texts.findings.dismissOf(f.title)} onClick={() => dismiss(f.id)}>
              {texts.findings.dismiss}
            </Button>
          )}
        </Group>
        <Group gap="xs" wrap="wrap">
          {f.path !== "" && <Code className="wrap-anywhere"><Outside says={place(f)} /></Code>}
          <Text size="sm" c="dimmed">
            {[
              category(f.category),
              f.ruleId,
              texts.findings.origin(f.origin),
              texts.findings.confidence(f.confidence),
              texts.findings.route(f.route),
              f.scope === "" ? "" : scope(f.scope),
              f.symbol === "" ? "" : texts.findings.foundIn(f.symbol),
              finders(f),
            ]
              .filter((s) => s !== "")
              .join(" · ")}
          </Text>
          {f.known && !standalone && <Text size="sm">{texts.findings.known}</Text>}
        </Group>
        <Prose className="outside" says={f.explanation} />
        {f.trigger !== "" && (
          <Text className="outside">
            <b>{texts.findings.when}:</b> {f.trigger}
          </Text>
        )}
        <AlsoAt finding={f} />
        <VerdictLine of={f} />
        <EvidenceList finding={f} />
        {f.suggestion && <Suggested finding={f} />}
        <Group gap="md" wrap="wrap">
          {changed && (
            <Text size="sm">
              {texts.findings.since}: <b>{texts.findings.state(since.state)}</b>{" "}
              {since.resolvedRunId && <PageLink {...links.run(since.resolvedRunId)}>{texts.findings.byRun}</PageLink>}
            </Text>
          )}
          {comment !== "" && (
            <Anchor size="sm" href={comment} rel="noreferrer">
              {texts.findings.comment}
            </Anchor>
          )}
          {!inChanges && f.path !== "" && (
            <PageLink size="sm" {...links.changes(f.path)}>
              {texts.findings.show}
            </PageLink>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

/** The state of a finding now, if it is stored; else the one that its run saw. */
export const stateNow = (f: Finding) => f.since?.state ?? f.state;

/** The models that reported a finding; "" for reviews without a panel. */
function finders({ foundBy = [] }: Finding): string {
  const models = foundBy.map(texts.findings.finder).join(", ");
  if (models === "") return "";
  return finderOf(foundBy) === "both" ? texts.findings.foundByBoth(models) : texts.findings.foundBy(models);
}

/** The further places that need the same repair. Their code is among the evidence. */
function AlsoAt({ finding: f }: { finding: Finding }) {
  const places = f.evidence.filter((e) => e.kind === "place");
  if (places.length === 0) return null;
  return (
    <Group gap="xs" wrap="wrap">
      <Text fw={700}>{texts.findings.alsoAt}:</Text>
      {places.map((e, i) => (
        <Code key={i} className="wrap-anywhere">
          <Outside says={place(e)} />
        </Code>
      ))}
    </Group>
  );
}

function EvidenceList({ finding: f }: { finding: Finding }) {
  if (f.evidence.length === 0) return null;
  return (
    <details>
      <summary>{texts.findings.evidence(f.evidence.length)}</summary>
      <Stack gap="xs" mt="xs">
        {f.evidence.map((e, i) => (
          <Quotation key={i} caption={[e.path === "" ? "" : place(e), e.path === "" || e.kind === "place" ? texts.findings.evidenceKind(e.kind) : "", e.note].filter((s) => s !== "").join(" · ")} text={e.quote} label={texts.findings.quotation} />
        ))}
      </Stack>
    </details>
  );
}

function Suggested({ finding: f }: { finding: Finding }) {
  const s = f.suggestion;
  if (!s) return null;
  return (
    <div className="note quiet">
      <Text size="sm">{s.applies ? texts.findings.suggestion(place(s)) : texts.findings.reading(place(s))}</Text>
      <Quotation caption={texts.findings.old} text={s.old} label={texts.findings.old} kind="old" />
      <Quotation caption={texts.findings.new} text={s.new} label={texts.findings.new} kind="new" />
    </div>
  );
}
