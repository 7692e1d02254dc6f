import { List, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { credentialsQuery, modelsQuery } from "@/api/models";
import type { Schemas } from "@/api/queries";
import { modelKeys as texts, modelList, modelTest } from "@/texts/models";
import { FormModal } from "@/ui/FormModal";
import { ButtonLink } from "@/ui/links";
import { AddKey, EditKey } from "./KeyForms";
import { KeyModels } from "./KeyModels";
import { KeyUses } from "./KeyState";
import { KeyTest } from "./KeyTest";
import type { Key } from "./keys";

/** The open dialog: of a new key, or of a stored one. */
export type OpenKey = { what: "add" } | { what: "edit" | "test" | "models" | "remove"; id: string };

interface Props {
  tenantId: string;
  presets: Schemas["LlmPresets"];
  all: readonly Key[];
  open: OpenKey | undefined;
  setOpen: (open?: OpenKey) => void;
  /** Runs when a dialog has been closed. */
  closed?: () => void;
}

/** The dialogs of model keys. A new key is tested next. */
export function KeyDialogs({ tenantId, presets, all, open, setOpen, closed }: Props) {
  const client = useQueryClient();
  const fresh = () => client.invalidateQueries({ queryKey: credentialsQuery(tenantId).queryKey });
  const of = open && open.what !== "add" ? all.find((k) => k.id === open.id) : undefined;
  const titles = { add: texts.add, edit: of && texts.editTitle(of.name), test: of && modelTest.title(of.name), models: of && modelList.title(of.name), remove: of && texts.removeTitle(of.name) };
  return (
    <FormModal title={open && titles[open.what]} open={open !== undefined && (open.what === "add" || of !== undefined)} close={() => setOpen()} {...(closed ? { closed } : {})} size="lg" guards={open?.what === "add" || open?.what === "edit"}>
      {() => (
        <>
          {open?.what === "add" && (
            <AddKey
              tenantId={tenantId}
              presets={presets}
              done={(made) => {
                void fresh().then(() => setOpen({ what: "test", id: made.id }));
              }}
            />
          )}
          {open?.what === "edit" && of && (
            <EditKey
              key={`${of.id} ${of.version}`}
              tenantId={tenantId}
              presets={presets}
              stored={of}
              done={() => {
                setOpen();
                void client.invalidateQueries({ queryKey: modelsQuery(tenantId, of.id).queryKey });
                void fresh();
              }}
              reload={() => void fresh()}
            />
          )}
          {open?.what === "test" && of && <KeyTest key={of.id} tenantId={tenantId} presets={presets} stored={of} done={() => setOpen()} />}
          {open?.what === "models" && of && <KeyModels key={of.id} tenantId={tenantId} credentialId={of.id} />}
          {open?.what === "remove" && of && (
            <Stack align="flex-start">
              <Text>{texts.removeBlocked}</Text>
              <List>
                <KeyUses stored={of} as="item" />
              </List>
              <ButtonLink to="/t/$tenantId/models" params={{ tenantId }} variant="default">
                {texts.toRouting}
              </ButtonLink>
            </Stack>
          )}
        </>
      )}
    </FormModal>
  );
}
