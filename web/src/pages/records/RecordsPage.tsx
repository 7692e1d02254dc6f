import type { ReactNode } from "react";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { isAbsent } from "@/api/problem";
import { Absent } from "@/app/Absent";
import { repositoryQuery } from "@/pages/policy/queries";
import { records as texts } from "@/texts/records";
import { PageLink } from "@/ui/links";
import { Page } from "@/ui/Page";
import { Calibration } from "./Calibration";
import { Checks, FirstLooks } from "./Judged";
import { CodeIndex } from "./CodeIndex";
import { FixRuns } from "./FixRuns";
import { Links } from "./Links";
import { isRecordList, notFilled, type RecordList, recordLists } from "./lists";
import { FailedJobs } from "./FailedJobs";
import { Assignments, Workload } from "./Later";
import { Issues } from "./Issues";
import { StaticRuns } from "./StaticRuns";
import { Suppressions } from "./Suppressions";
import type { Place } from "./Listed";
import "@/ui/tabs.css";

const route = getRouteApi("/t/$tenantId/repositories/$repositoryId/records/$list");

const shown: Record<RecordList, (at: Place) => ReactNode> = {
  "triage-runs": (at) => <FirstLooks {...at} />,
  "ac-checks": (at) => <Checks {...at} />,
  "tracker-links": (at) => <Issues {...at} />,
  links: (at) => <Links {...at} />,
  suppressions: (at) => <Suppressions {...at} />,
  "sast-runs": (at) => <StaticRuns {...at} />,
  "ci-analyses": (at) => <FailedJobs {...at} />,
  "fix-runs": (at) => <FixRuns {...at} />,
  assignments: (at) => <Assignments {...at} />,
  "assignment-workload": (at) => <Workload {...at} />,
  calibration: (at) => <Calibration {...at} />,
  "code-index": (at) => <CodeIndex {...at} />,
};

/** The lists that there are of a repository beside its reviews and findings: one is shown, the others are a step away. */
export function RecordsPage() {
  const { tenantId, repositoryId, list } = route.useParams();
  const repository = useQuery(repositoryQuery(tenantId, repositoryId));
  if (!isRecordList(list)) return <Absent />;
  const at = { tenantId, repositoryId };
  const name = repository.data ? `${repository.data.owner}/${repository.data.name}` : "";
  if (isAbsent(repository)) return <Absent />;
  return (
    <Page title={texts.title(texts.of[list], name)}>
      <nav className="tabs" aria-label={texts.parts}>
        {recordLists
          .filter((l) => !notFilled.includes(l))
          .map((l) => (
            <PageLink key={l} to="/t/$tenantId/repositories/$repositoryId/records/$list" params={{ ...at, list: l }} underline="never">
              {texts.of[l]}
            </PageLink>
          ))}
      </nav>
      <Text>{texts.says[list]}</Text>
      {shown[list](at)}
    </Page>
  );
}
