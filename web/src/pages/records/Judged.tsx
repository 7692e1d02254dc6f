import { Stack, Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { records as texts } from "@/texts/records";
import { changeKind, depth, risk, size } from "@/texts/terms";
import type { Column } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { RunLink } from "@/ui/RunLink";
import { StateMark } from "@/ui/StateMark";
import { Listed, madeAt, type Place, stateOf } from "./Listed";
import { verdictTones } from "./Criteria";

type Look = Schemas["TriageRun"];
type Check = Schemas["AcceptanceCheck"];

/** The number of a pull request, as a link to the review where there is one. */
const pull = <T extends { number: number; runId?: string }>(at: Place): Column<T> => ({
  key: "pull",
  heading: texts.pull,
  cell: (r) => (r.runId ? <RunLink {...at} runId={r.runId}>{`#${r.number}`}</RunLink> : `#${r.number}`),
});

const looks: readonly Column<Look>[] = [
  stateOf(),
  {
    key: "kind",
    heading: texts.kind,
    cell: (r) => (
      <Stack gap={0}>
        <span>{changeKind(r.kind)}</span>
        <Text size="sm" c="dimmed" className="outside">
          <Outside says={r.reason || texts.change(r.lines, r.files)} />
        </Text>
      </Stack>
    ),
  },
  { key: "size", heading: texts.size, cell: (r) => size(r.size) },
  { key: "risk", heading: texts.risk, cell: (r) => risk(r.risk) },
  {
    key: "depth",
    heading: texts.depth,
    cell: (r) => (
      <Stack gap={0}>
        <span>{depth(r.depth)}</span>
        <Text size="sm" c="dimmed" className="outside">
          <Outside says={r.depthReason} />
        </Text>
      </Stack>
    ),
  },
  madeAt(),
];

/** The results of triage. */
export function FirstLooks(at: Place) {
  return (
    <Listed
      at={at}
      list="triage-runs"
      columns={[pull<Look>(at), ...looks]}
      rowKey={(r) => r.id}
      read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/triage-runs", { params: { path: at, query }, signal }))}
    />
  );
}

const checks: readonly Column<Check>[] = [
  { key: "issue", heading: texts.issue, cell: (r) => <code>{r.issueKey}</code> },
  {
    key: "criterion",
    heading: texts.criterion,
    cell: (r) => (
      <Stack gap={0}>
        <span className="outside"><Outside says={r.criterion || texts.keyOnly} /></span>
        <Text size="sm" c="dimmed" className="outside">
          <Outside says={r.reason} />
        </Text>
      </Stack>
    ),
  },
  {
    key: "verdict",
    heading: texts.verdict,
    cell: (r) => (
      <Stack gap={0}>
        <StateMark tone={verdictTones[r.verdict]}>{texts.verdicts[r.verdict]}</StateMark>
        {r.kept && (
          <Text size="sm" c="dimmed">
            {texts.kept}
          </Text>
        )}
      </Stack>
    ),
  },
  madeAt(),
];

/** Acceptance criteria of issues, and whether changes meet them. */
export function Checks(at: Place) {
  return (
    <Listed
      at={at}
      list="ac-checks"
      columns={[pull<Check>(at), ...checks]}
      rowKey={(r) => r.id}
      read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/ac-checks", { params: { path: at, query }, signal }))}
    />
  );
}
