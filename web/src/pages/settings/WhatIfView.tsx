import { Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { repositoryQuery } from "@/pages/policy/queries";
import { settings } from "@/texts/settings";
import { sentence } from "@/ui/format";
import { PageLink } from "@/ui/links";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { Trouble } from "@/ui/Trouble";

type WhatIf = Schemas["WhatIf"];
type Offer = Schemas["DryRunOffer"];
type Known = Schemas["WhatIfSetting"];
const texts = settings.whatIf;

/** The last reviews as they would be with other settings: first what the check would block, then what reviews would show. Counts of zero are left out. */
export function WhatIfView({ of: w, tenantId, nameOf }: { of: WhatIf; tenantId: string; nameOf: (setting: string) => string }) {
  const t = w.totals;
  const moves = [t.added > 0 && texts.added(t.added), t.dropped > 0 && texts.dropped(t.dropped), t.rerouted > 0 && texts.rerouted(t.rerouted), t.checkOnly > 0 && texts.checkOnly(t.checkOnly)].filter((says) => says !== false);
  return (
    <Stack gap="sm" role="status">
      {w.check && <Heads of={w.check} tenantId={tenantId} />}
      <Text>{t.reviews === 0 ? texts.noReviews : texts.changed(t.changed, t.reviews)}</Text>
      {(moves.length > 0 || w.skipped > 0) && (
        <ul className="plain-list">
          {moves.map((says) => (
            <li key={says}>{says}</li>
          ))}
          {w.skipped > 0 && <li>{texts.skipped(w.skipped)}</li>}
        </ul>
      )}
      {w.reviews.map((r) => [...r.dropped, ...r.added, ...r.rerouted].length > 0 && <Review key={r.runId} review={r} tenantId={tenantId} />)}
      <KnownSettings settings={w.settings} nameOf={nameOf} />
      <Offers offers={w.dryRuns} tenantId={tenantId} />
    </Stack>
  );
}

/** The number of a pull request with the name of its repository, which the component reads. */
function PullName({ tenantId, of }: { tenantId: string; of: { repositoryId: string; number: number } }) {
  const known = useQuery(repositoryQuery(tenantId, of.repositoryId));
  return (
    <>
      {known.data && <Outside says={`${known.data.owner}/${known.data.name}`} />}#{of.number}
    </>
  );
}

/** The heads that the check would block, or no longer block. */
function Heads({ of: h, tenantId }: { of: Schemas["WhatIfHeads"]; tenantId: string }) {
  return (
    <>
      <Text>{texts.heads(h.heads, h.blockedBefore, h.blockedAfter)}</Text>
      {h.changed.length > 0 && (
        <ul className="plain-list">
          {h.changed.map((c) => (
            <li key={c.runId}>
              <PageLink to="/t/$tenantId/repositories/$repositoryId/runs/$runId" params={{ tenantId, repositoryId: c.repositoryId, runId: c.runId }} size="sm">
                <PullName tenantId={tenantId} of={c} />
              </PageLink>{" "}
              <code>{c.headSha.slice(0, 7)}</code>: {c.blocks ? texts.blocked : texts.unblocked}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Review({ review: r, tenantId }: { review: Schemas["WhatIfReview"]; tenantId: string }) {
  return (
    <details>
      <summary>
        <PullName tenantId={tenantId} of={r} /> ({r.dropped.length + r.added.length + r.rerouted.length})
      </summary>
      <PageLink to="/t/$tenantId/repositories/$repositoryId/runs/$runId" params={{ tenantId, repositoryId: r.repositoryId, runId: r.runId }} size="sm">
        <PullName tenantId={tenantId} of={r} />
      </PageLink>
      <ul className="plain-list">
        {[...r.dropped, ...r.added, ...r.rerouted].map((m, i) => (
          <li key={i}>
            <Outside says={m.finding.title} /> <code><Outside says={m.finding.path} /></code>: {texts.moved(texts.to[m.from], texts.to[m.to])} {m.why}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** How certain the effect of each setting is. */
function KnownSettings({ settings: list, nameOf }: { settings: readonly Known[]; nameOf: (setting: string) => string }) {
  if (!list.some((s) => s.known !== "exact")) return null;
  return (
    <ul className="plain-list" aria-label={texts.caption}>
      {list.map((s) => (
        <li key={s.name}>
          <strong>{nameOf(s.name)}</strong>: {texts.known[s.known]}
          {s.why && `. ${sentence(s.why)}`}
        </li>
      ))}
    </ul>
  );
}

/**
 * Starts the dry run that answers the open questions. If there are several repositories, the one that
 * was reviewed last is offered first.
 */
export function Offers({ offers, tenantId }: { offers: readonly Offer[]; tenantId: string }) {
  const begin = useMutation({
    mutationFn: (o: Offer) => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/dry-runs", { params: { path: { tenantId, repositoryId: o.repositoryId } }, body: o.request })),
    onSuccess: () => notice(texts.begun),
  });
  const first = offers[0];
  if (!first) return null;
  return (
    <Stack gap={4} align="flex-start">
      <Button size="compact-sm" variant="default" loading={begin.isPending} disabled={begin.isSuccess} onClick={() => begin.mutate(first)}>
        {texts.offer}
      </Button>
      <Text size="sm" c="dimmed">
        {texts.offerSays}
      </Text>
      {begin.isSuccess && (
        <PageLink to="/t/$tenantId/repositories/$repositoryId/dry-runs/$dryRunId" params={{ tenantId, repositoryId: first.repositoryId, dryRunId: begin.data.id }} size="sm">
          {texts.toRuns}
        </PageLink>
      )}
      {begin.isError && <Trouble error={begin.error} />}
    </Stack>
  );
}
