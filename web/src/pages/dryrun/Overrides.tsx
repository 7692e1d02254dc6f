import { Stack, Text, Title } from "@mantine/core";
import { dryRun as texts } from "@/texts/dryrun";
import { settingName, settingValue } from "@/texts/terms";
import { ValueTable } from "@/ui/ValueTable";
import type { DryRun } from "./queries";

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** A document as setting names with values. Nested parts are named with their parents. */
export function flat(document: Record<string, unknown>, before = ""): [name: string, value: unknown][] {
  return Object.entries(document).flatMap(([key, value]): [string, unknown][] => (isObject(value) ? flat(value, `${before}${key}.`) : [[before + key, value]]));
}

/** The settings that replaced the stored ones in the dry run. */
export function Overrides({ of }: { of: DryRun["overrides"] }) {
  const policy = isObject(of["policy"]) ? flat(of["policy"]) : [];
  const routing = isObject(of["llmPolicy"]) ? flat(of["llmPolicy"]) : [];
  const rules = Array.isArray(of["rules"]) ? of["rules"].filter(isObject) : undefined;
  const rows = [
    ...policy.map(([name, value]) => ({ key: name, name: settingName(name), values: [settingValue(name, value)] })),
    ...routing.map(([name, value]) => ({ key: `models ${name}`, name: `${texts.routing}: ${name}`, values: [settingValue("", value)] })),
    ...(rules ? [{ key: "rules", name: texts.rules, values: [rules.map((r) => String(r["title"] ?? "")).join(", ") || String(rules.length)] }] : []),
  ];
  return (
    <Stack component="section" gap="xs" aria-labelledby="tried">
      <Title order={2} id="tried">
        {texts.settings}
      </Title>
      {rows.length === 0 ? <Text>{texts.asItIs}</Text> : <ValueTable caption={texts.settings} headings={[texts.policy, texts.value]} minWidth={320} rows={rows} />}
    </Stack>
  );
}
