import { useState } from "react";
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from "@mantine/spotlight";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBug, IconFolder, IconGitPullRequest, IconSearch, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys, readRepositories, type Schemas } from "@/api/queries";
import { visible } from "@/ui/visible";
import { text } from "@/texts";
import { isFound } from "@/ui/isFound";
import "@mantine/spotlight/styles.css";
import { navigationFor, pagesOf, type Viewer } from "./navigation";

interface Props {
  viewer: Viewer;
  tenants: Schemas["MyTenant"][];
}

const pause = 200; // in ms, between the last key and the question

/** Reports whether the text is long enough to search for: two letters, or the number of a pull request. */
export const isAsked = (typed: string): boolean => typed.length >= 2 || /^\d$/.test(typed);

/** Finds pages, repositories, pull requests, findings and tenants by a few letters. The frame opens it (Ctrl K). */
export function Palette({ viewer, tenants }: Props) {
  const { tenantId } = viewer;
  const [query, setQuery] = useState("");
  const typed = query.trim();
  const [asked] = useDebouncedValue(typed, pause);
  const navigate = useNavigate();
  const enabled = tenantId !== "" && isAsked(asked);
  const repositories = useQuery({
    queryKey: keys.tenant(tenantId, "repositories", "found", asked),
    queryFn: ({ signal }) => readRepositories(tenantId, { name: asked.slice(0, 100) }, undefined, signal),
    enabled,
  });
  const search = useQuery({
    queryKey: keys.tenant(tenantId, "search", asked),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/search", { params: { path: { tenantId }, query: { text: asked.slice(0, 200) } }, signal })),
    enabled,
  });
  const found = enabled ? search.data : undefined;
  const waits = typed !== asked || repositories.isFetching || search.isFetching;

  const pages = pagesOf(navigationFor(viewer))
    .filter((entry) => isFound(entry, typed))
    .map(({ to, label, icon: Sign }): SpotlightActionData => ({ id: to, label, leftSection: <Sign size={18} aria-hidden />, onClick: () => void navigate({ to, params: { tenantId } }) }));
  const named = (r: { owner: string; name: string }) => visible(`${r.owner}/${r.name}`);
  const groups: SpotlightActionGroupData[] = [
    { group: text.frame.pages, actions: pages },
    {
      group: text.frame.repositoriesGroup,
      actions: (enabled ? (repositories.data?.data.items ?? []) : []).slice(0, 10).map((r) => ({
        id: r.id,
        label: named(r),
        leftSection: <IconFolder size={18} aria-hidden />,
        onClick: () => void navigate({ to: "/t/$tenantId/runs", params: { tenantId }, search: { repository: r.id } }),
      })),
    },
    {
      group: text.frame.pulls,
      actions: (found?.pullRequests ?? []).map((p) => ({
        id: `${p.repository.id} ${p.number}`,
        label: `#${p.number} ${visible(p.title)}`,
        description: named(p.repository),
        leftSection: <IconGitPullRequest size={18} aria-hidden />,
        onClick: () => void navigate({ to: "/t/$tenantId/repositories/$repositoryId/pulls/$number", params: { tenantId, repositoryId: p.repository.id, number: String(p.number) } }),
      })),
    },
    {
      group: found?.moreFindings ? text.frame.newestFindings : text.frame.findings,
      actions: (found?.findings ?? []).map((f) => ({
        id: f.id,
        label: visible(f.title),
        description: `${named(f.repository)}#${f.pullRequest.number}`,
        leftSection: <IconBug size={18} aria-hidden />,
        onClick: () => void navigate({ to: "/t/$tenantId/repositories/$repositoryId/findings/$findingId", params: { tenantId, repositoryId: f.repository.id, findingId: f.id } }),
      })),
    },
    {
      group: text.frame.tenants,
      actions: tenants
        .filter((t) => t.id !== tenantId && t.name.toLowerCase().includes(typed.toLowerCase()))
        .map((t) => ({ id: t.id, label: visible(t.name), leftSection: <IconUsers size={18} aria-hidden />, onClick: () => void navigate({ to: "/t/$tenantId/inbox", params: { tenantId: t.id } }) })),
    },
  ];
  const nothing = search.isError || repositories.isError ? text.frame.searchFailed : waits ? text.common.loading : text.frame.nothingFound;
  return (
    <Spotlight
      actions={groups.filter((g) => g.actions.length > 0)}
      filter={(_, actions) => actions} // they are found already
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      nothingFound={nothing}
      scrollable
      maxHeight={400}
      searchProps={{ leftSection: <IconSearch size={18} aria-hidden />, name: "search", placeholder: text.frame.search, "aria-label": text.frame.search, autoComplete: "off" }}
    />
  );
}
