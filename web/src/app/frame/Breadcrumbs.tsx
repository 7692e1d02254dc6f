import { Breadcrumbs as Crumbs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMatches, useParams } from "@tanstack/react-router";
import { repositoryQuery } from "@/pages/policy/queries";
import { text } from "@/texts";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";

/** The place of a page of a repository: the tenant, the repository, the list, and the route's own entry (staticData). The menu shows all other places. */
export function Breadcrumbs({ tenant }: { tenant: string }) {
  const { tenantId, repositoryId } = useParams({ strict: false });
  const { crumb, list } = useMatches({ select: (matches) => matches.at(-1)?.staticData ?? {} });
  const { data: repository } = useQuery({ ...repositoryQuery(tenantId ?? "", repositoryId ?? ""), enabled: tenantId !== undefined && repositoryId !== undefined });
  if (!crumb || !tenantId || !repositoryId) return null;
  const above = [
    <PageLink to="/t/$tenantId/inbox" params={{ tenantId }} size="sm">
      <Outside says={tenant} />
    </PageLink>,
  ];
  const name = repository?.name ?? text.crumbs.repository;
  above.push(
    <PageLink to="/t/$tenantId/repositories" params={{ tenantId }} size="sm">
      {text.repositories.title}
    </PageLink>,
  );
  if (crumb === text.crumbs.repository) return <Line above={above} here={name} />;
  above.push(
    <PageLink to="/t/$tenantId/repositories/$repositoryId" params={{ tenantId, repositoryId }} size="sm">
      <Outside says={name} />
    </PageLink>,
  );
  if (list)
    above.push(
      <PageLink to={list.to} params={{ tenantId }} search={list.to === "/t/$tenantId/onboardings" ? {} : { repository: repositoryId }} size="sm">
        {list.says}
      </PageLink>,
    );
  return <Line above={above} here={crumb} />;
}

function Line({ above, here }: { above: readonly React.ReactElement[]; here: string }) {
  return (
    <nav aria-label={text.frame.breadcrumbs}>
      <Crumbs mb={4} separatorMargin={6}>
        {above.map((crumb, i) => (
          <span key={i}>{crumb}</span>
        ))}
        <Text size="sm" c="dimmed" aria-current="page">
          <Outside says={here} />
        </Text>
      </Crumbs>
    </nav>
  );
}
