import { NativeSelect, NumberInput, TextInput, Checkbox } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Schemas } from "@/api/queries";
import { modelKeys as texts } from "@/texts/models";
import { PrivateHost } from "@/ui/PrivateHost";
import { SecretField } from "@/ui/SecretField";
import { takes, type Key, type Values } from "./keys";

type Presets = Schemas["LlmPresets"];

interface Props {
  presets: Presets;
  kind: Key["kind"];
  form: UseFormReturnType<Values>;
  /** The service wants no key by itself. */
  keyOptional: boolean;
  /** The key that is changed; absent for a new one. */
  stored?: Key;
}

/** The fields that keys of a kind have. */
export function KeyFields({ presets, kind, form, keyOptional, stored }: Props) {
  const fields = takes(presets, kind);
  const official = kind === "openai" ? ["us", "eu"] : undefined;
  const regions = official ? presets.dataRegions.filter((r) => official.includes(r.id)) : presets.dataRegions;
  return (
    <>
      <TextInput label={texts.name} maxLength={100} autoComplete="off" required {...form.getInputProps("name")} />
      {fields.includes("resource") && <TextInput label={texts.resource} maxLength={64} autoComplete="off" {...form.getInputProps("resource")} />}
      {fields.includes("baseUrl") && (
        <TextInput
          label={texts.baseUrl}
          description={kind === "azure" ? texts.endpointHelp : texts.baseUrlHelp}
          type="url"
          maxLength={500}
          autoComplete="off"
          required={kind === "compatible"}
          {...form.getInputProps("baseUrl")}
        />
      )}
      <PrivateHost error={form.errors["baseUrl"]} address={form.values.baseUrl} />
      {fields.includes("region") && <NativeSelect label={texts.region} autoComplete="off" data={[{ value: "", label: "" }, ...presets.regions.map((r) => ({ value: r.id, label: `${r.name} (${r.id})` }))]} {...form.getInputProps("region")} />}
      <SecretField
        label={texts.key}
        maxLength={4096}
        required={!stored && !keyOptional}
        description={stored ? texts.keyAgain : keyOptional ? texts.keyOptional : ""}
        isSet={stored?.apiKeySet ?? false}
        setAt={stored?.apiKeyUpdatedAt}
        {...form.getInputProps("apiKey")}
      />
      {stored?.apiKeySet && kind === "compatible" && <Checkbox label={texts.keyRemove} {...form.getInputProps("removeKey", { type: "checkbox" })} />}
      {fields.includes("dataRegion") && (
        <NativeSelect
          label={texts.dataRegion}
          description={official ? texts.officialRegion : texts.dataRegionHelp}
          autoComplete="off"
          data={[{ value: "", label: official ? texts.anyRegion : texts.noRegion }, ...regions.map((r) => ({ value: r.id, label: r.name }))]}
          {...form.getInputProps("dataRegion")}
        />
      )}
      <NumberInput label={texts.concurrency} description={texts.concurrencyHelp} min={1} max={256} allowDecimal={false} hideControls autoComplete="off" {...form.getInputProps("maxConcurrency")} />
    </>
  );
}
