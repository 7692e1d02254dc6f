import { Stack, Text } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { rules } from "@/texts/rules";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { StateMark } from "@/ui/StateMark";

const texts = rules.preview;

/** The places that the pattern of a rule matches in the code of the newest review. */
export function Matched({ of: m, tenantId }: { of: Schemas["MatcherPreview"]; tenantId: string }) {
  return (
    <Stack gap={4} component="section" aria-label={texts.matcher}>
      {m.files > 0 && (
        <Text role="status" fw={600}>
          {texts.matched(m.hits, m.reported, m.files)}
        </Text>
      )}
      {m.note && <Text role="status">{m.note}</Text>}
      {m.repositoryId && m.runId && m.number !== undefined && (
        <PageLink to="/t/$tenantId/repositories/$repositoryId/runs/$runId" params={{ tenantId, repositoryId: m.repositoryId, runId: m.runId }}>
          {texts.matchedAt(m.number)}
        </PageLink>
      )}
      {m.places.length > 0 && (
        <details open={m.places.length <= 12}>
          <summary>{texts.places}</summary>
          <ul className="plain-list paths">
            {m.places.map((p, i) => (
              <li key={i}>
                <code>
                  <Outside says={p.path} />:{p.line}
                </code>{" "}
                {p.reported && <StateMark tone="warn">{texts.reported}</StateMark>}
              </li>
            ))}
          </ul>
          {m.hits > m.places.length && <Text size="sm">{texts.morePlaces(m.hits - m.places.length)}</Text>}
        </details>
      )}
    </Stack>
  );
}
