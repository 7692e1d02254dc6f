import { useState } from "react";
import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { codeIndex as texts } from "@/texts/codeIndex";
import { records } from "@/texts/records";
import { confirm } from "@/ui/confirm";
import { Facts } from "@/ui/Facts";
import { count } from "@/ui/format";
import { Loaded } from "@/ui/Loaded";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { Trouble } from "@/ui/Trouble";
import { CodeSearch } from "./CodeSearch";
import { listKey, type Place } from "./Listed";

type Index = Schemas["CodeIndex"];

const tones: Record<Index["state"], Tone> = { absent: "quiet", building: "busy", ready: "good", stale: "busy", failed: "bad" };

const again = 3000; // ms between readings while an index is being built

/** The index of a repository's code: its state, a search, and what is not in it. */
export function CodeIndex(at: Place) {
  const client = useQueryClient();
  const may = useMayManage(at.tenantId, at.repositoryId);
  const key = listKey(at, "code-index");
  const [asked, setAsked] = useState(false);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/code-index", { params: { path: at }, signal })),
    refetchInterval: (q) => (q.state.data?.state === "building" || q.state.data?.state === "stale" ? again : false),
  });
  const rebuild = useMutation({
    mutationFn: () => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/code-index/rebuild", { params: { path: at } })),
    onSuccess: () => {
      setAsked(true);
      notice(texts.rebuildBegan);
    },
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
  const ask = () => confirm({ title: texts.rebuild, says: texts.rebuildSure, does: texts.rebuild, then: () => rebuild.mutate() });
  return (
    <Loaded query={query}>
      {(i) => (
        <Stack gap="md">
          <State index={i} />
          {may && (
            <Group>
              <Button variant="default" loading={rebuild.isPending} disabled={asked && i.state === "building"} onClick={ask}>
                {texts.rebuild}
              </Button>
            </Group>
          )}
          {rebuild.isError && <Trouble error={rebuild.error} />}
          {i.searchable && <CodeSearch {...at} />}
          <LeftOut list={i.leftOut} />
        </Stack>
      )}
    </Loaded>
  );
}

function State({ index: i }: { index: Index }) {
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <StateMark tone={tones[i.state]}>{texts.states[i.state]}</StateMark>
        {i.state === "building" && i.files > 0 && <Text role="status">{texts.progress(i.filesDone, i.files)}</Text>}
      </Group>
      {i.reason ? <div className={i.state === "failed" ? "note bad" : "note"}>{i.reason}</div> : <Text size="sm">{texts.says[i.state]}</Text>}
      <Facts
        of={[
          [records.branch, i.branch],
          [records.head, i.commitSha.slice(0, 12)],
          [records.files, i.searchable && count(i.files)],
          [records.chunks, i.searchable && count(i.chunks)],
          [texts.size, i.searchable && texts.bytes(i.bytes)],
          [records.builtAt, i.builtAt && <Time key="built" at={i.builtAt} />],
          [texts.checkedAt, i.checkedAt && <Time key="checked" at={i.checkedAt} />],
        ]}
      />
    </Stack>
  );
}

function LeftOut({ list }: { list: Index["leftOut"] }) {
  if (list.length === 0) return null;
  return (
    <section>
      <Text fw={650}>{texts.leftOut}</Text>
      <List size="sm">
        {list.map((l) => (
          <List.Item key={l.reason}>
            {texts.reasons[l.reason]}: {count(l.count)}
            {l.paths.length > 0 && (
              <Text size="sm" c="dimmed" className="outside">
                <Outside says={l.paths.join(", ")} />
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </section>
  );
}
