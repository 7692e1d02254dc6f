import { Link, useLocation, useParams } from "@tanstack/react-router";
import { text } from "@/texts";

/** The lists of the tenant that show one repository when the address names it. */
const listsOfOne = ["runs", "findings"];

/** The repository that the page is about, or whose rows a list shows; "": none, or the page has a place of its own. */
function useRepository(tenantId: string): { repositoryId: string; below: string } {
  const { repositoryId } = useParams({ strict: false });
  const { pathname, search } = useLocation({ select: (l) => ({ pathname: l.pathname, search: l.search as { repository?: string } }) });
  const [list] = listsOfOne.filter((l) => pathname === `/t/${tenantId}/${l}`);
  if (list) return { repositoryId: search.repository ?? "", below: list };
  if (!repositoryId) return { repositoryId: "", below: "" };
  const below = pathname.slice(`/t/${tenantId}/repositories/${repositoryId}`.length).split("/")[1] ?? "";
  return { repositoryId: ["", "pulls", "policy", "rules", "records"].includes(below) ? repositoryId : "", below };
}

/** The tabs that are lists or settings, by the part of the address below the repository. */
const labels: Readonly<Record<string, string>> = { findings: text.frame.findings, runs: text.frame.activity, policy: text.crumbs.policy, rules: text.crumbs.rules, records: text.frame.analysis };

/** Returns the name of the selected tab of a repository, "" on the tab of its pull requests, and null beside pages of a repository. */
export function useRepositoryTab(tenantId: string): string | null {
  const { repositoryId, below } = useRepository(tenantId);
  return repositoryId === "" ? null : (labels[below] ?? "");
}

interface Props {
  tenantId: string;
  /** What other pages have in their place. */
  otherwise: React.ReactNode;
}

/** The tabs of a repository, which stay while one goes from one to another. */
export function RepositoryTabs({ tenantId, otherwise }: Props) {
  const { repositoryId, below } = useRepository(tenantId);
  if (repositoryId === "") return otherwise;
  const params = { tenantId, repositoryId };
  const search = { repository: repositoryId };
  const current = (of: string) => (below === of ? ({ "aria-current": "page" } as const) : {});
  return (
    <nav aria-label={text.frame.ofRepository} className="page-tabs">
      <Link to="/t/$tenantId/repositories/$repositoryId" params={params} activeOptions={{ exact: true, includeSearch: false }} {...current("pulls")}>
        {text.frame.pulls}
      </Link>
      <Link to="/t/$tenantId/findings" params={params} search={search} {...current("findings")}>
        {text.frame.findings}
      </Link>
      <Link to="/t/$tenantId/runs" params={params} search={search} {...current("runs")}>
        {text.frame.activity}
      </Link>
      <Link to="/t/$tenantId/repositories/$repositoryId/policy" params={params}>
        {text.crumbs.policy}
      </Link>
      <Link to="/t/$tenantId/repositories/$repositoryId/rules" params={params}>
        {text.crumbs.rules}
      </Link>
      <Link to="/t/$tenantId/repositories/$repositoryId/records/$list" params={{ ...params, list: "triage-runs" }} {...current("records")}>
        {text.frame.analysis}
      </Link>
    </nav>
  );
}
