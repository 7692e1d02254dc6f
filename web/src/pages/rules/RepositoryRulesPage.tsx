import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMayManage } from "@/api/roles";
import { isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { repositoryQuery } from "@/pages/policy/queries";
import { rules as texts } from "@/texts/rules";
import { Empty } from "@/ui/Empty";
import { PageLink } from "@/ui/links";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { Trouble } from "@/ui/Trouble";
import { useFilters } from "@/ui/useFilters";
import { Opened } from "./Opened";
import { effectiveQuery } from "./place";
import { ProposedRules } from "./ProposedRules";
import "./rules.css";
import { readSearch } from "./route";
import { RuleTable } from "./RuleTable";
import { useRules } from "./useRules";

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/rules");

/** The rules of a repository as reviews apply them, and its own to be changed. */
export function RepositoryRulesPage() {
  const { tenantId, repositoryId } = route.useParams();
  const [{ edit }] = useFilters(readSearch);
  const navigate = route.useNavigate();
  const place = { tenantId, repositoryId };
  const repository = useQuery(repositoryQuery(tenantId, repositoryId));
  const query = useQuery(effectiveQuery(tenantId, repositoryId));
  const mayChange = useMayManage(tenantId, repositoryId);
  const { changed, remove, error } = useRules(place);
  const open = (rule?: string) => void navigate({ search: rule === undefined ? {} : { edit: rule } });
  const make = mayChange ? (
    <Button onClick={() => open("new")} disabled={edit === "new"}>
      {query.data?.items.length === 0 ? texts.noneAction : texts.make}
    </Button>
  ) : undefined;
  if (isAbsent(repository)) return <Absent />;
  return (
    <Page title={repository.data ? texts.titleOf(`${repository.data.owner}/${repository.data.name}`) : texts.repository} actions={query.data?.items.length === 0 ? undefined : make}>
      <Text>{texts.repositorySays}</Text>
      <Group gap="md">
        <PageLink to="/t/$tenantId/repositories/$repositoryId" params={place}>
          {texts.toRepository}
        </PageLink>
        <PageLink to="/t/$tenantId/repositories/$repositoryId/policy" params={place}>
          {texts.toPolicy}
        </PageLink>
        <PageLink to="/t/$tenantId/rules" params={{ tenantId }}>
          {texts.toTenant}
        </PageLink>
      </Group>
      {!mayChange && <Text>{texts.readOnly}</Text>}
      {error && <Trouble error={error} />}
      <ProposedRules place={place} mayDecide={mayChange} />
      <Loaded query={query} lines={6}>
        {(effective) => {
          const own = effective.items.filter((r) => r.origin === "repository");
          return (
            <>
              {mayChange && edit !== undefined && <Opened key={edit} edit={edit} place={place} rules={own} close={() => open()} changed={changed} />}
              {effective.items.length === 0 && edit === undefined && <Empty says={texts.none} action={make} />}
              {effective.items.length > 0 && <RuleTable caption={texts.effectiveCaption} rows={effective.items} changes={mayChange ? { may: (r) => r.origin === "repository", edit: (r) => open(r.id), remove } : undefined} />}
              {effective.note && <Text>{effective.note}</Text>}
              <Text size="sm" c="dimmed">
                {texts.limits(own.length)}
              </Text>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
