import { useEffect, useState } from "react";
import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { accessQuery, keys, manages, readRepositories, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { Empty } from "@/ui/Empty";
import { ButtonLink, PageLink } from "@/ui/links";
import { ListTable, type Column } from "@/ui/ListTable";
import { Page } from "@/ui/Page";
import { StateMark } from "@/ui/StateMark";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { readSearch } from "./route";

type Repository = Schemas["Repository"];

const pause = 300; // in ms, between the last key and the question

const columns = (tenantId: string): readonly Column<Repository>[] => [
  {
    key: "name",
    heading: text.repositories.name,
    cell: (r) => (
      <PageLink to="/t/$tenantId/repositories/$repositoryId" params={{ tenantId, repositoryId: r.id }}>
        <bdi>
          {r.owner}/{r.name}
        </bdi>
      </PageLink>
    ),
  },
  { key: "state", heading: text.common.state, cell: (r) => <StateMark tone={r.state === "active" ? "good" : "quiet"}>{text.repositories.state[r.state]}</StateMark> },
  { key: "branch", heading: text.repositories.branch, cell: (r) => <code>{r.defaultBranch}</code> },
  { key: "visibility", heading: text.repositories.visibility, cell: (r) => (r.private ? text.repositories.private : text.repositories.public) },
  {
    key: "settings",
    heading: text.frame.settings,
    cell: (r) => (
      <Group gap="xs">
        <PageLink to="/t/$tenantId/repositories/$repositoryId/policy" params={{ tenantId, repositoryId: r.id }} aria-label={text.repositories.of(text.crumbs.policy, r.name)}>
          {text.crumbs.policy}
        </PageLink>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/rules" params={{ tenantId, repositoryId: r.id }} aria-label={text.repositories.of(text.crumbs.rules, r.name)}>
          {text.crumbs.rules}
        </PageLink>
      </Group>
    ),
  },
];

/** The repositories of the tenant that the person may see. */
export function RepositoriesPage() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  const [search, change] = useFilters(readSearch);
  const [name, setName] = useState(search.name ?? "");
  const [settled] = useDebouncedValue(name, pause);
  useEffect(() => change({ name: settled }), [settled, change]);

  const listing = useListing(keys.tenant(tenantId, "repositories", search), (cursor, signal) => {
    const { connection, ...rest } = search;
    return readRepositories(tenantId, { ...rest, ...(connection ? { connectionId: connection } : {}) }, cursor, signal);
  });
  const { data: access } = useQuery(accessQuery(tenantId));
  const filtered = Object.keys(search).length > 0;
  const connect = access && manages(access) && (
    <ButtonLink to="/t/$tenantId/connections" params={{ tenantId }}>
      {text.frame.connections}
    </ButtonLink>
  );
  return (
    <Page title={text.repositories.title}>
      <Group align="flex-end">
        <TextInput label={text.repositories.filterName} value={name} maxLength={200} autoComplete="off" onChange={(e) => setName(e.currentTarget.value)} />
        <NativeSelect
          label={text.repositories.filterState}
          autoComplete="off"
          value={search.state ?? ""}
          data={[{ value: "", label: text.common.all }, ...Object.entries(text.repositories.state).map(([value, label]) => ({ value, label }))]}
          onChange={(e) => change({ state: e.currentTarget.value })}
        />
        {search.connection !== undefined && (
          <ButtonLink to="/t/$tenantId/repositories" params={{ tenantId }} variant="default">
            {text.repositories.ofAll}
          </ButtonLink>
        )}
      </Group>
      <ListTable caption={text.repositories.caption} columns={columns(tenantId)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={filtered ? text.repositories.empty : text.repositories.none} action={filtered ? undefined : connect} />} />
    </Page>
  );
}
