import { NativeSelect, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { onboarding as texts } from "@/texts/onboarding";
import { Empty } from "@/ui/Empty";
import { FilterRow } from "@/ui/FilterBar";
import { ButtonLink, PageLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { Page } from "@/ui/Page";
import { Time } from "@/ui/Time";
import { useListing } from "@/ui/useListing";
import { useFilters } from "@/ui/useFilters";
import { readSearch } from "./search";
import { OnboardingMark } from "./state";

type Onboarding = Schemas["Onboarding"];

const columns = (tenantId: string): readonly Column<Onboarding>[] => [
  {
    key: "repository",
    heading: texts.repository,
    cell: (o) => (
      <>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/onboarding" params={{ tenantId, repositoryId: o.repositoryId }}>
          <Outside says={`${o.owner}/${o.name}`} />
        </PageLink>
        {o.reason !== "" && (
          <Text size="sm" c="dimmed">
            {o.reason}
          </Text>
        )}
      </>
    ),
  },
  { key: "state", heading: text.common.state, cell: (o) => <OnboardingMark state={o.state} /> },
  { key: "since", heading: texts.since, cell: (o) => <Time at={o.createdAt} /> },
  { key: "decided", heading: texts.decided, cell: (o) => (o.decision ? <Time at={o.decision.at} /> : text.common.none) },
];

/** Repositories that are new to the tenant. */
export function OnboardingsPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [{ state }, filter] = useFilters(readSearch);
  const listing = useListing<Onboarding>(keys.tenant(tenantId, "onboardings", { state }), (cursor, signal) =>
    answer(api.GET("/api/tenants/{tenantId}/onboardings", { params: { path: { tenantId }, query: { ...(state ? { state } : {}), ...(cursor ? { cursor } : {}) } }, signal })),
  );
  const clear = (
    <ButtonLink to="/t/$tenantId/onboardings" params={{ tenantId }} className="clears" variant="default">
      {texts.clear}
    </ButtonLink>
  );
  return (
    <Page title={text.frame.onboardings}>
      <Text>{texts.says}</Text>
      <FilterRow>
        <NativeSelect
          label={text.common.state}
          autoComplete="off"
          value={state ?? ""}
          data={[{ value: "", label: texts.all }, ...Object.entries(texts.state).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => filter({ state: e.currentTarget.value })}
        />
      </FilterRow>
      <ListTable caption={texts.caption} columns={columns(tenantId)} listing={listing} rowKey={(o) => o.id} empty={<Empty says={state ? texts.empty : texts.none} action={state ? clear : undefined} />} />
    </Page>
  );
}
