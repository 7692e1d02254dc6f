import { useState, type ReactNode } from "react";
import { Button, Checkbox, Code, Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { keys, type Schemas } from "@/api/queries";
import { place } from "@/pages/run/grouping";
import { SeverityMark } from "@/pages/run/SeverityMark";
import { findings as texts } from "@/texts/findings";
import { FormModal } from "@/ui/FormModal";
import { PageLink } from "@/ui/links";
import { Outside } from "@/ui/Outside";
import { PullLink } from "@/ui/PullLink";
import { Held } from "@/ui/Held";
import { Line } from "@/ui/Line";
import { Scroll } from "@/ui/Scroll";
import { Time } from "@/ui/Time";
import type { useSteady } from "@/ui/useSteady";
import { DismissForm } from "./DismissForm";
import "./findings.css";
import { reopen } from "./reopen";
import { useListKeys } from "./useListKeys";

type Row = Schemas["TenantFinding"];

const headings = [
  { heading: texts.severity },
  { heading: texts.finding, style: "wide" },
  { heading: texts.pull, style: "wide" },
  { heading: texts.age },
] as const;

interface Props {
  tenantId: string;
  steady: ReturnType<typeof useSteady<Row, unknown>>;
  /** The rows are of the page or filter before, until the answer is here: none can be selected or dismissed. */
  passing: boolean;
  /** The text of a list without rows. */
  empty: ReactNode;
}

/** The rows of a page of findings, with those that are selected to be dismissed, or whose dismissals are selected to be undone. */
export function FindingRows({ tenantId, steady: { rows, held, release, watch }, passing, empty }: Props) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<readonly string[]>([]); // the findings of the open dialog
  const [refused, setRefused] = useState<Schemas["DismissalResult"][]>([]);
  const dismisses = rows.some((r) => r.mayDismiss); // else the selected ones are dismissed, and can be reopened
  const offered = dismisses || rows.some((r) => r.mayReopen);
  const may = passing ? [] : rows.filter((r) => (dismisses ? r.mayDismiss : r.mayReopen));
  const selected = may.filter((r) => chosen.has(r.id)).map((r) => r.id);
  const select = (id: string, on: boolean) => setChosen(new Set(on ? [...selected, id] : selected.filter((s) => s !== id)));
  const undo = async (ids: readonly string[]) => {
    setChosen(new Set(selected.filter((id) => !ids.includes(id))));
    await reopen(client, tenantId, ids);
    release();
  };
  useListKeys({
    x: (id) => may.some((r) => r.id === id) && select(id, !chosen.has(id)),
    e: (id) => dismisses && setAsked(selected.length > 0 ? selected : may.some((r) => r.id === id) ? [id] : []),
  });
  return (
    <Stack gap="sm">
      {refused.length > 0 && <Refused of={refused} rows={rows} />}
      {offered && (
        <VisuallyHidden role="status">
          {texts.selected(selected.length)}
        </VisuallyHidden>
      )}
      {rows.length === 0 ? (
        empty
      ) : (
        <Scroll label={texts.caption} width={320}>
          <Table className="list cards">
            <Table.Thead>
              <Table.Tr>
                {offered && (
                  <Table.Th scope="col">
                    <Checkbox
                      disabled={passing}
                      label={<VisuallyHidden>{texts.selectAll}</VisuallyHidden>}
                      checked={!passing && selected.length === may.length}
                      indeterminate={selected.length > 0 && selected.length < may.length}
                      onChange={(e) => setChosen(new Set(e.currentTarget.checked ? may.map((r) => r.id) : []))}
                    />
                  </Table.Th>
                )}
                {headings.map((h) => (
                  <Table.Th key={h.heading} scope="col" className={"style" in h ? h.style : ""}>
                    {h.heading}
                  </Table.Th>
                ))}
                {offered && (
                  <Table.Td className="dismissal">
                    {dismisses ? (
                      <Button size="compact-xs" disabled={selected.length === 0} aria-label={texts.dismiss(selected.length)} onClick={() => setAsked(selected)}>
                        {texts.dismissSelected(selected.length)}
                      </Button>
                    ) : (
                      <Button size="compact-xs" disabled={selected.length === 0} aria-label={texts.undoMany(selected.length)} onClick={() => void undo(selected)}>
                        {texts.undoSelected(selected.length)}
                      </Button>
                    )}
                  </Table.Td>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody {...watch}>
              {rows.map((r) => (
                <Table.Tr key={r.id} data-finding={r.id} {...(chosen.has(r.id) ? { className: "chosen" } : {})}>
                  {offered && <Table.Td>{(dismisses ? r.mayDismiss : r.mayReopen) && <Checkbox disabled={passing} label={<VisuallyHidden>{texts.select(r.title)}</VisuallyHidden>} checked={chosen.has(r.id)} onChange={(e) => select(r.id, e.currentTarget.checked)} />}</Table.Td>}
                  <Cells tenantId={tenantId} row={r} />
                  {offered && (
                    <Table.Td>
                      {r.mayDismiss && (
                        <Button size="compact-xs" variant="default" disabled={passing} aria-label={texts.dismissTitle(r.title)} onClick={() => setAsked([r.id])}>
                          {texts.dismissOne}
                        </Button>
                      )}
                      {r.mayReopen && (
                        <Button size="compact-xs" variant="default" disabled={passing} aria-label={texts.undoOf(r.title)} onClick={() => void undo([r.id])}>
                          {texts.undo}
                        </Button>
                      )}
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scroll>
      )}
      <Held held={held} release={release} />
      <FormModal title={texts.dismiss(asked.length)} open={asked.length > 0} close={() => setAsked([])}>
        {() => (
          <DismissForm
            tenantId={tenantId}
            findingIds={[...asked]}
            done={(results) => {
              setAsked([]);
              setChosen(new Set(selected.filter((id) => !asked.includes(id)))); // one may be dismissed while others are selected
              setRefused(results.items.filter((i) => i.outcome === "refused"));
              void client.invalidateQueries({ queryKey: keys.tenant(tenantId) }).then(release); // lists, counts and reviews show it, too
            }}
          />
        )}
      </FormModal>
    </Stack>
  );
}

function Cells({ tenantId, row: r }: { tenantId: string; row: Row }) {
  const repositoryId = r.repository.id;
  return (
    <>
      <Table.Td>
        <SeverityMark severity={r.severity} />
      </Table.Td>
      <Table.Td className="wide">
        <Line full={r.title}>
          <PageLink to="/t/$tenantId/repositories/$repositoryId/findings/$findingId" params={{ tenantId, repositoryId, findingId: r.id }}>
            <Outside says={r.title} />
          </PageLink>
        </Line>
        <Line quiet full={`${place(r)} ${r.ruleId}`}>
          {r.path !== "" && (
            <Code>
              <Outside says={place(r)} />
            </Code>
          )}{" "}
          {r.ruleId}
        </Line>
      </Table.Td>
      <Table.Td className="wide" data-label={texts.pull}>
        <Line full={r.pullRequest.title}>
          <PullLink tenantId={tenantId} repositoryId={repositoryId} number={r.pullRequest.number}>
            #{r.pullRequest.number} <Outside says={r.pullRequest.title} />
          </PullLink>
        </Line>
        <Line quiet>
          <Outside says={`${r.repository.owner}/${r.repository.name}`} /> · <Outside says={r.pullRequest.author} />
        </Line>
      </Table.Td>
      <Table.Td data-label={texts.age}>
        <Time at={r.createdAt} />
      </Table.Td>
    </>
  );
}

/** The findings that the service did not dismiss, with its reasons. */
function Refused({ of, rows }: { of: readonly Schemas["DismissalResult"][]; rows: readonly Row[] }) {
  return (
    <div className="note" role="alert">
      <Text fw={700}>{texts.refused(of.length)}</Text>
      <ul>
        {of.map((f) => (
          <li key={f.findingId}>
            <Outside says={rows.find((r) => r.id === f.findingId)?.title ?? f.findingId} />: {f.detail}
          </li>
        ))}
      </ul>
    </div>
  );
}
