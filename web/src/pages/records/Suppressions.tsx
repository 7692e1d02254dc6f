import { useState } from "react";
import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { text } from "@/texts";
import { findings } from "@/texts/findings";
import { records } from "@/texts/records";
import { suppressions as texts } from "@/texts/suppressions";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { listFault, linesOf } from "@/ui/lines";
import { PageLink } from "@/ui/links";
import { type Column, ListTable } from "@/ui/ListTable";
import { Outside } from "@/ui/Outside";
import { StateMark, type Tone } from "@/ui/StateMark";
import { Time } from "@/ui/Time";
import { useFilters } from "@/ui/useFilters";
import { useListing } from "@/ui/useListing";
import { useServerForm } from "@/ui/useServerForm";
import { listKey, madeAt, type Place } from "./Listed";
import { readSearch } from "./suppressionSearch";

type Suppression = Schemas["Suppression"];

const tones: Record<Suppression["state"], Tone> = { proposed: "warn", accepted: "good", declined: "quiet", withdrawn: "quiet", expired: "quiet" };

/** What a suppression leaves out, in a few words. */
const named = (r: Suppression) => (r.scope === "fingerprint" ? `${r.about.ruleId} ${r.about.path}` : r.matches);

/** The highest severity that a rule or a category leaves out, with a space behind it; "" where the finding is not known. */
const severity = (r: Suppression) => {
  const highest = Object.entries(findings.severities).find(([name]) => name === r.about.severity);
  return highest ? `${texts.upTo(highest[1])} ` : "";
};

const columns = (at: Place): readonly Column<Suppression>[] => [
  {
    key: "state",
    heading: text.common.state,
    cell: (r) => (
      <Stack gap={0} align="flex-start">
        <StateMark tone={tones[r.state]} waits={r.state === "proposed"}>
          {texts.states[r.state]}
        </StateMark>
        {(r.withdrawn ?? r.decided) && (
          <Text size="sm">
            <Outside says={texts.by((r.withdrawn ?? r.decided)!.name)} />
          </Text>
        )}
        {r.expiresAt && (
          <Text size="sm">
            {texts.until} <Time at={r.expiresAt} />
          </Text>
        )}
      </Stack>
    ),
  },
  {
    key: "what",
    heading: texts.what,
    cell: (r) => (
      <Stack gap={0}>
        <Text className="wrap-anywhere">
          {texts.scopes[r.scope]}: <Outside says={named(r)} />
        </Text>
        {r.scope !== "fingerprint" && (
          <Text size="sm" className="wrap-anywhere">
            {severity(r)}
            <Outside says={r.paths.length === 0 ? texts.everywhere : texts.within(r.paths.join(", "))} />
          </Text>
        )}
        {r.findingId && (
          <PageLink size="sm" to="/t/$tenantId/repositories/$repositoryId/findings/$findingId" params={{ ...at, findingId: r.findingId }}>
            {texts.finding}
          </PageLink>
        )}
      </Stack>
    ),
  },
  {
    key: "reason",
    heading: records.reason,
    cell: (r) => (
      <Stack gap={0}>
        <Text size="sm">{texts.sources[r.source]}</Text>
        <Text className="outside">
          <Outside says={r.reason} />
        </Text>
        {r.note !== "" && (
          <Text size="sm" className="outside">
            <Outside says={r.note} />
          </Text>
        )}
      </Stack>
    ),
  },
  madeAt(),
];

/** What later reviews leave out. People who manage the repository decide on it. */
export function Suppressions(at: Place) {
  const client = useQueryClient();
  const may = useMayManage(at.tenantId, at.repositoryId);
  const [{ id, state, scope }, filter] = useFilters(readSearch);
  const [asked, setAsked] = useState<Suppression>();
  const listing = useListing<Suppression>([...listKey(at, "suppressions"), { id, state, scope }], async (cursor, signal) => {
    if (id) {
      const one = await answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/suppressions/{suppressionId}", { params: { path: { ...at, suppressionId: id } }, signal }));
      return { ...one, data: { items: [one.data] } };
    }
    const query = { ...(state ? { state } : {}), ...(scope ? { scope } : {}), ...(cursor ? { cursor } : {}) };
    return answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/suppressions", { params: { path: at, query }, signal }));
  });
  const act: Column<Suppression> = {
    key: "act",
    heading: texts.act,
    cell: (r) =>
      r.state === "proposed" || r.state === "accepted" ? (
        <Button size="compact-sm" variant="default" aria-label={r.state === "proposed" ? texts.decideOn(named(r)) : texts.withdrawOf(named(r))} onClick={() => setAsked(r)}>
          {r.state === "proposed" ? texts.decide : texts.withdraw}
        </Button>
      ) : null,
  };
  const choice = (key: "state" | "scope", label: string, value: string | undefined, names: Record<string, string>) => (
    <NativeSelect
      label={label}
      autoComplete="off"
      value={value ?? ""}
      data={[{ value: "", label: text.common.all }, ...Object.entries(names).map(([v, name]) => ({ value: v, label: name }))]}
      onChange={(e) => filter({ [key]: e.currentTarget.value })}
    />
  );
  const done = () => {
    setAsked(undefined);
    void client.invalidateQueries({ queryKey: keys.tenant(at.tenantId) }); // the inbox and the overview count it, too
  };
  return (
    <Stack gap="sm">
      <Text>{texts.limits}</Text>
      <FilterBar filters={{ id, state, scope }} change={filter}>
        {id ? (
          <Button variant="default" onClick={() => filter({ id: "" })}>
            {texts.all}
          </Button>
        ) : (
          <>
            {choice("state", text.common.state, state, texts.states)}
            {choice("scope", texts.scope, scope, texts.scopes)}
          </>
        )}
      </FilterBar>
      <ListTable caption={records.of.suppressions} columns={may ? [...columns(at), act] : columns(at)} listing={listing} rowKey={(r) => r.id} empty={<Empty says={records.empty.suppressions} />} />
      <FormModal title={asked?.state === "accepted" ? texts.withdraw : texts.decide} open={asked !== undefined} close={() => setAsked(undefined)}>
        {() => asked && (asked.state === "accepted" ? <Withdrawal at={at} of={asked} done={done} /> : <Decision at={at} of={asked} done={done} />)}
      </FormModal>
    </Stack>
  );
}

interface Form {
  at: Place;
  of: Suppression;
  done: () => void;
}

function Decision({ at, of, done }: Form) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { decision: "accept" as Schemas["SuppressionDecision"]["decision"], scope: "", paths: "", expiresAt: "", note: "" },
    send: (v) => {
      const body: Schemas["SuppressionDecision"] = { decision: v.decision, ...(v.note ? { note: v.note } : {}) };
      const paths = linesOf(v.paths);
      if (v.decision === "accept") {
        if (v.scope) body.scope = v.scope as Suppression["scope"];
        if (paths.length > 0) body.paths = paths;
        if (v.expiresAt) body.expiresAt = `${v.expiresAt}T23:59:59Z`;
      }
      return ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/suppressions/{suppressionId}/decision", { params: { path: { ...at, suppressionId: of.id } }, body }));
    },
    done,
    saved: texts.decided,
  });
  const accepts = form.getValues().decision === "accept";
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text className="wrap-anywhere">
          {texts.scopes[of.scope]}: <Outside says={named(of)} />
        </Text>
        <FormTrouble problem={problem} conflict={conflict} />
        <NativeSelect label={texts.decision} autoComplete="off" data={Object.entries(texts.decisions).map(([value, label]) => ({ value, label }))} {...form.getInputProps("decision")} />
        {accepts && (
          <>
            <NativeSelect
              label={texts.scope}
              autoComplete="off"
              data={[{ value: "", label: texts.asProposed }, ...Object.entries(texts.scopes).map(([value, label]) => ({ value, label }))]}
              {...form.getInputProps("scope")}
            />
            <Textarea label={texts.paths} description={texts.pathsSay} rows={3} spellCheck={false} autoComplete="off" {...form.getInputProps("paths")} error={listFault(form.errors, "paths", texts.line)} />
            <TextInput type="date" label={texts.expires} autoComplete="off" {...form.getInputProps("expiresAt")} />
          </>
        )}
        <Textarea label={texts.note} rows={3} maxLength={2000} autoComplete="off" {...form.getInputProps("note")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.decide}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Withdrawal({ at, of, done }: Form) {
  const { form, submit, sending, problem, conflict } = useServerForm({
    initial: { note: "" },
    send: (v) => ok(api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/suppressions/{suppressionId}/withdraw", { params: { path: { ...at, suppressionId: of.id } }, body: v.note ? { note: v.note } : {} })),
    done,
    saved: texts.withdrawn,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{texts.withdrawSays}</Text>
        <FormTrouble problem={problem} conflict={conflict} />
        <Textarea label={texts.note} rows={3} maxLength={2000} autoComplete="off" {...form.getInputProps("note")} />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.withdraw}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
