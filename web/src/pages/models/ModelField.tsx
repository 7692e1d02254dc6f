import { Autocomplete, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { modelPricesQuery, modelsQuery } from "@/api/models";
import { routing as texts } from "@/texts/models";
import { money } from "@/ui/format";
import { Outside } from "@/ui/Outside";

interface Props {
  tenantId: string;
  credentialId: string;
  label: string;
  value?: string;
  onChange?: (model: string) => void;
  error?: React.ReactNode;
  /** Whether the person may request the list of models. */
  lists: boolean;
}

/** Chooses a model of the live list behind a key; another id can be entered as well. */
export function ModelField({ tenantId, credentialId, lists, ...input }: Props) {
  const models = useQuery({ ...modelsQuery(tenantId, credentialId), enabled: lists && credentialId !== "" });
  const prices = useQuery({ ...modelPricesQuery(tenantId, credentialId), enabled: lists && credentialId !== "" });
  return (
    <Autocomplete
      {...input}
      data={[...new Set(models.data?.items.map((m) => m.id))]}
      limit={50}
      maxLength={200}
      autoComplete="off"
      disabled={credentialId === ""}
      {...(models.data?.reason ? { description: `${texts.listRefused} ${models.data.reason}` } : {})}
      renderOption={({ option }) => {
        const price = prices.data?.byId.get(option.value);
        return (
          <Group justify="space-between" gap="xs" w="100%">
            <Outside says={option.value} />
            {price && (
              <Text size="xs" c="dimmed">
                {texts.price(money(price.inputMicros, "USD") ?? "", money(price.outputMicros, "USD") ?? "")}
              </Text>
            )}
          </Group>
        );
      }}
    />
  );
}
