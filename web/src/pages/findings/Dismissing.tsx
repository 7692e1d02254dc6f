import { createContext, type ReactNode, useContext, useState } from "react";
import { Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/queries";
import { useMayReview } from "@/api/roles";
import { findings as texts } from "@/texts/findings";
import { FormModal } from "@/ui/FormModal";
import { DismissForm } from "./DismissForm";
import { useListKeys } from "./useListKeys";

const Ask = createContext<((findingId: string) => void) | null>(null);

/** Asks for the reason to dismiss a finding; null where the person may not, or nothing around offers it. */
export const useDismiss = () => useContext(Ask);

interface Props {
  tenantId: string;
  repositoryId: string;
  /** Ids of the findings on the page that can be dismissed by the key e. */
  open: readonly string[];
  children: ReactNode;
}

/** Lets the findings of a page be dismissed one by one: by their buttons, and by keys as in lists of findings. */
export function Dismissing({ tenantId, repositoryId, open, children }: Props) {
  const client = useQueryClient();
  const may = useMayReview(tenantId, repositoryId);
  const [asked, setAsked] = useState("");
  const [refused, setRefused] = useState("");
  const ask = (id: string) => {
    setRefused("");
    setAsked(id);
  };
  useListKeys({ e: (id) => may && open.includes(id) && ask(id) });
  return (
    <Ask value={may ? ask : null}>
      {children}
      <FormModal title={texts.dismiss(1)} open={asked !== ""} close={() => setAsked("")}>
        {() => (
          <Stack>
            {refused !== "" && (
              <div className="note bad" role="alert">
                {refused}
              </div>
            )}
            <DismissForm
              tenantId={tenantId}
              findingIds={[asked]}
              done={(results) => {
                const no = results.items.find((i) => i.outcome === "refused");
                setRefused(no?.detail ?? "");
                if (!no) setAsked("");
                void client.invalidateQueries({ queryKey: keys.tenant(tenantId) }); // lists, counts and the review show it, too
              }}
            />
          </Stack>
        )}
      </FormModal>
    </Ask>
  );
}
