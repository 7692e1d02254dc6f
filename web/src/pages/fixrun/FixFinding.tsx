import { useState } from "react";
import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { useMayManage } from "@/api/roles";
import { fixRuns as texts } from "@/texts/fixruns";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

type Request = Schemas["ReviewFixRequest"];

interface Props {
  tenantId: string;
  repositoryId: string;
  /** The review that saw the finding last. */
  runId: string;
  findingId: string;
}

/** Asks for a fix of an open finding, with the delivery; for people who manage the repository. */
export function FixFinding(props: Props) {
  const [open, setOpen] = useState(false);
  const may = useMayManage(props.tenantId, props.repositoryId);
  if (!may) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {texts.begin}
      </Button>
      <FormModal title={texts.beginTitle} open={open} close={() => setOpen(false)}>
        {() => <FixForm {...props} />}
      </FormModal>
    </>
  );
}

function FixForm({ tenantId, repositoryId, runId, findingId }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { form, submit, sending, problem } = useServerForm({
    initial: { delivery: "", findingIds: "" },
    send: (v) =>
      ok(
        api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs/{runId}/fixes", {
          params: { path: { tenantId, repositoryId, runId } },
          body: { findingIds: [findingId], ...(v.delivery === "" ? {} : { delivery: v.delivery as NonNullable<Request["delivery"]> }) },
        }),
      ),
    saved: texts.begun,
    done: (made) => {
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId) });
      void navigate({ to: "/t/$tenantId/repositories/$repositoryId/fix-runs/$fixRunId", params: { tenantId, repositoryId, fixRunId: made.id } });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{texts.beginSays}</Text>
        <FormTrouble problem={problem} conflict={false} />
        <NativeSelect
          label={texts.delivery}
          description={texts.deliverySays}
          autoComplete="off"
          data={[{ value: "", label: texts.byPolicy }, ...Object.entries(texts.deliveries).map(([value, label]) => ({ value, label }))]}
          {...form.getInputProps("delivery")}
        />
        <Group>
          <Button type="submit" loading={sending}>
            {texts.start}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
