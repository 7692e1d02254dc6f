import { useState } from "react";
import { Spotlight, type SpotlightActionGroupData } from "@mantine/spotlight";
import { useDebouncedValue } from "@mantine/hooks";
import { IconFolder, IconSearch, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { keys, readRepositories, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import "@mantine/spotlight/styles.css";
import { navigationFor, pagesOf, type Viewer } from "./navigation";

interface Props {
  viewer: Viewer;
  tenants: Schemas["MyTenant"][];
}

const pause = 200; // in ms, between the last key and the question

/** Finds pages, tenants and repositories by a few letters. The frame opens it (Ctrl K). */
export function Palette({ viewer, tenants }: Props) {
  const { tenantId } = viewer;
  const [query, setQuery] = useState("");
  const [name] = useDebouncedValue(query.trim(), pause);
  const navigate = useNavigate();
  const found = useQuery({
    queryKey: keys.tenant(tenantId, "repositories", "found", name),
    queryFn: ({ signal }) => readRepositories(tenantId, { name }, undefined, signal),
    enabled: tenantId !== "" && name.length >= 2,
  });

  const groups: SpotlightActionGroupData[] = [
    {
      group: text.frame.pages,
      actions: pagesOf(navigationFor(viewer)).map(({ to, label, also, icon: Sign }) => ({ id: to, label, keywords: also ?? "", leftSection: <Sign size={18} aria-hidden />, onClick: () => void navigate({ to, params: { tenantId } }) })),
    },
    {
      group: text.frame.repositoriesGroup,
      actions: (name.length >= 2 ? (found.data?.data.items ?? []) : []).slice(0, 10).map((r) => ({
        id: r.id,
        label: `${r.owner}/${r.name}`,
        leftSection: <IconFolder size={18} aria-hidden />,
        onClick: () => void navigate({ to: "/t/$tenantId/runs", params: { tenantId }, search: { repository: r.id } }),
      })),
    },
    {
      group: text.frame.tenants,
      actions: tenants.filter((t) => t.id !== tenantId).map((t) => ({ id: t.id, label: t.name, leftSection: <IconUsers size={18} aria-hidden />, onClick: () => void navigate({ to: "/t/$tenantId/inbox", params: { tenantId: t.id } }) })),
    },
  ];
  return (
    <Spotlight
      actions={groups.filter((g) => g.actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      nothingFound={text.frame.nothingFound}
      scrollable
      maxHeight={400}
      searchProps={{ leftSection: <IconSearch size={18} aria-hidden />, name: "search", placeholder: text.frame.search, "aria-label": text.frame.search, autoComplete: "off" }}
    />
  );
}
