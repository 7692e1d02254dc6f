import { Code, Group, Stack, Text, Title } from "@mantine/core";
import { run as texts } from "@/texts/run";
import { FindingCard } from "./FindingCard";
import { byFile, bySeverity, finderOf, split } from "./grouping";
import type { RunLinks } from "./links";
import { SeverityMark } from "./SeverityMark";
import { type Finding, isOver, type Run } from "./types";

/** The findings of a run by file. Those that are stored and not published are folded. */
export function FindingsTab({ run, links }: { run: Run; links: RunLinks }) {
  const { shown, kept } = split(run);
  return (
    <Stack>
      {shown.length === 0 ? <Text>{nothing(run)}</Text> : <Summary findings={shown} />}
      <Files findings={shown} links={links} />
      {kept.length > 0 && (
        <details>
          <summary>{texts.findings.kept(kept.length)}</summary>
          <Stack mt="sm">
            <Text size="sm">{texts.findings.keptWhy}</Text>
            <Files findings={kept} links={links} />
          </Stack>
        </details>
      )}
    </Stack>
  );
}

function nothing(run: Run): string {
  if (!isOver(run.state) && run.state !== "awaiting_approval" && run.state !== "publishing") return texts.nothingYet;
  if (run.state === "failed" || run.state === "cancelled" || run.state === "skipped" || run.state === "superseded") return texts.nothingFound;
  return run.incomplete === "" ? texts.clean : texts.nothingPartly;
}

function Summary({ findings }: { findings: readonly Finding[] }) {
  const here = findings.filter((f) => !f.known); // an earlier finding names the models of another run
  const by = (who: ReturnType<typeof finderOf>) => here.filter((f) => finderOf(f.foundBy) === who).length;
  const { agreed, onlyTiers, onlyPanel, checks, earlier } = texts.findings;
  const found = by("") === here.length ? [] : [agreed(by("both")), onlyTiers(by("tiers")), onlyPanel(by("panel"))];
  if (found.length > 0 && by("") > 0) found.push(checks(by("")));
  if (found.length > 0 && findings.length > here.length) found.push(earlier(findings.length - here.length));
  return (
    <Group gap="xs">
      <Text>{texts.findings.count(findings.length)}</Text>
      {bySeverity(findings).map((s) => (
        <SeverityMark key={s.severity} severity={s.severity} count={s.count} />
      ))}
      {found.length > 0 && (
        <Text size="sm" c="dimmed">
          {texts.findings.finders}: {found.join(" · ")}
        </Text>
      )}
    </Group>
  );
}

function Files({ findings, links }: { findings: readonly Finding[]; links: RunLinks }) {
  return byFile(findings).map((group) => (
    <Stack key={group.path} gap="xs" component="section">
      <Title order={2} size="h5" className="wrap-anywhere">
        {group.path === "" ? texts.findings.wholeChange : <Code fz="md">{group.path}</Code>}
      </Title>
      {group.findings.map((f) => (
        <FindingCard key={f.id} finding={f} links={links} order={3} />
      ))}
    </Stack>
  ));
}
