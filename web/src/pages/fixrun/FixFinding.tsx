import { useState } from "react";
import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { fixRuns as texts } from "@/texts/fixruns";
import { FormModal } from "@/ui/FormModal";
import { FormTrouble } from "@/ui/FormTrouble";
import { useServerForm } from "@/ui/useServerForm";

type Delivery = NonNullable<Schemas["ReviewFixRequest"]["delivery"]>;

interface Props {
  tenantId: string;
  repositoryId: string;
  /** The review that saw the finding last. */
  runId: string;
  findingId: string;
  /** The deliveries that the policy allows. */
  deliveries: readonly Delivery[];
}

/** Asks for a fix of an open finding, with the delivery. */
export function FixFinding(props: Props) {
  const [open, setOpen] = useState(false);
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

function FixForm({ tenantId, repositoryId, runId, findingId, deliveries }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { form, submit, sending, problem } = useServerForm({
    initial: { delivery: "", findingIds: "" },
    send: (v) =>
      ok(
        api.POST("/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs/{runId}/fixes", {
          params: { path: { tenantId, repositoryId, runId } },
          body: { findingIds: [findingId], ...(v.delivery === "" ? {} : { delivery: v.delivery as Delivery }) },
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
          data={[{ value: "", label: texts.byPolicy }, ...deliveries.map((value) => ({ value, label: texts.deliveries[value] }))]}
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
