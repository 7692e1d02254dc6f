import { Breadcrumbs as Crumbs, Text } from "@mantine/core";
import { useMatches, useParams } from "@tanstack/react-router";
import { text } from "@/texts";
import { PageLink } from "@/ui/links";

/** Where the page is: the tenant or the instance, and what the matching routes say of themselves (staticData.crumb). */
export function Breadcrumbs({ tenant }: { tenant: string }) {
  const { tenantId } = useParams({ strict: false });
  const crumbs = useMatches({ select: (matches) => matches.flatMap((m) => (m.staticData.crumb ? [{ says: m.staticData.crumb, at: m.pathname }] : [])) });
  if (crumbs.length === 0) return null;
  return (
    <nav aria-label={text.frame.breadcrumbs}>
      <Crumbs mb="sm" separatorMargin={6}>
        {tenantId ? (
          <PageLink to="/t/$tenantId" params={{ tenantId }} size="sm">
            <bdi>{tenant}</bdi>
          </PageLink>
        ) : (
          <Text size="sm">{text.frame.instance}</Text>
        )}
        {crumbs.map((c, i) =>
          i === crumbs.length - 1 ? (
            <Text key={c.at} size="sm" c="dimmed" aria-current="page">
              {c.says}
            </Text>
          ) : (
            <PageLink key={c.at} to={c.at as "/"} size="sm">
              {c.says}
            </PageLink>
          ),
        )}
      </Crumbs>
    </nav>
  );
}
