import { Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { asProblem } from "@/api/problem";
import type { Schemas } from "@/api/queries";
import { Matched } from "./Matched";
import { Offers } from "@/pages/settings/WhatIfView";
import { rules } from "@/texts/rules";
import { Waiting } from "@/ui/Loaded";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";
import { Trouble } from "@/ui/Trouble";
import { previewed, type RuleForm } from "./form";
import { previewQuery, type Place, type Rule } from "./place";

type Shown = Schemas["RulePreview"];
const texts = rules.preview;
const pause = 600; // in ms, between the last key and the question

/** What a rule is about while it is written: files and findings of the last reviews, and what it costs. */
export function Preview({ place, rule, values }: { place: Place; rule: Rule | undefined; values: RuleForm }) {
  const [settled] = useDebouncedValue(values, pause);
  const body = previewed(settled);
  const query = useQuery({ ...previewQuery(place, body ?? { title: "", instruction: "", severity: "medium" }, rule?.id), enabled: body !== undefined, placeholderData: keepPreviousData });
  return (
    <Stack gap="xs" component="section" aria-label={texts.title} className="sheet" aria-busy={query.isFetching}>
      <Title order={3}>{texts.title}</Title>
      {body === undefined ? <Text>{texts.waits}</Text> : query.isError ? <Refused error={query.error} /> : query.data === undefined ? <Waiting lines={4} /> : <About of={query.data} tenantId={place.tenantId} />}
    </Stack>
  );
}

/** What the service does not take yet: each by its field, as it would be refused when the rule is made. */
function Refused({ error }: { error: unknown }) {
  const problem = asProblem(error);
  if (problem.status !== 422 || problem.fields.length === 0) return <Trouble error={error} />;
  return (
    <div role="status">
      <Text>{texts.refused}</Text>
      <ul className="plain-list">
        {problem.fields.map((f) => (
          <li key={f.pointer}>
            <code>{f.pointer}</code> {f.message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function About({ of: p, tenantId }: { of: Shown; tenantId: string }) {
  return (
    <Stack gap="xs">
      <div role="status">
        {p.reviews === 0 ? <Text>{texts.noReviews}</Text> : <Text>{texts.from(p.reviews)}</Text>}
        {p.filesSeen > 0 && <Text fw={600}>{texts.files(p.filesFitting, p.filesSeen)}</Text>}
        {!p.filesAll && <Text size="sm">{texts.notAll}</Text>}
        {p.filesSeen > 0 && p.filesFitting === 0 && <Text>{texts.none}</Text>}
      </div>
      {p.matcher && <Matched of={p.matcher} tenantId={tenantId} />}
      {p.files.length > 0 && <Files of={p} />}
      {p.filesFitting > 0 && <Text>{texts.findings(p.findingsFitting)}</Text>}
      {p.findingsReplaced > 0 && <Text>{texts.lost(p.findingsReplaced)}</Text>}
      {p.findings.length > 0 && <Findings of={p} tenantId={tenantId} />}
      {!p.active && p.reason && (
        <Text>
          <StateMark tone="warn">{rules.reason[p.reason]}</StateMark> {texts.inactive} {rules.reason[p.reason]}.
        </Text>
      )}
      <Text size="sm">{p.matcher ? texts.noTokens : texts.tokens(p.prompt.tokens)}</Text>
      <Text size="sm" c="dimmed">
        {texts.all(p.prompt.allRules, p.prompt.allTokens, p.prompt.maxRules, p.prompt.maxTokens)} {p.prompt.allRules > p.prompt.maxRules || p.prompt.allTokens > p.prompt.maxTokens ? texts.full : ""}
      </Text>
      {!p.matcher && p.settings.some((s) => s.known !== "exact") && (
        <Text size="sm" c="dimmed">
          {texts.unknown}
        </Text>
      )}
      <Offers offers={p.dryRuns} tenantId={tenantId} />
    </Stack>
  );
}

function Files({ of: p }: { of: Shown }) {
  return (
    <details open={p.files.length <= 12}>
      <summary>{texts.filesOf}</summary>
      <ul className="plain-list paths">
        {p.files.map((f) => (
          <li key={`${f.repositoryId} ${f.path}`}>
            <code><Outside says={f.path} /></code> {f.leftOut && <StateMark tone="warn">{texts.leftOut}</StateMark>}
          </li>
        ))}
      </ul>
      {p.filesFitting > p.files.length && <Text size="sm">{texts.more(p.filesFitting - p.files.length)}</Text>}
    </details>
  );
}

function Findings({ of: p, tenantId }: { of: Shown; tenantId: string }) {
  return (
    <details>
      <summary>{texts.findingsOf}</summary>
      <ul className="plain-list">
        {p.findings.map((f, i) => (
          <li key={i}>
            <PageLink to="/t/$tenantId/repositories/$repositoryId/runs/$runId" params={{ tenantId, repositoryId: f.repositoryId, runId: f.runId }}>
              #{f.number}
            </PageLink>{" "}
            <Outside says={f.finding.title} /> <code><Outside says={f.finding.path} /></code> {f.replaced && <StateMark tone="quiet">{texts.replaced}</StateMark>} {!f.fits && <StateMark tone="warn">{texts.notFitting}</StateMark>}
          </li>
        ))}
      </ul>
    </details>
  );
}
