import { Group, NativeSelect, NumberInput, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { settings as texts } from "@/texts/settings";
import type { Value } from "./table";
import { optionName, type Worded } from "./words";

const micros = 1_000_000;
const noneOption = "none"; // stands for null in a list of choices

interface Props {
  setting: Worded;
  value: Value;
  change: (value: Value) => void;
  /** Of the field, for its label. */
  id: string;
  /** Ids of the elements that describe it. */
  describedBy: string;
  error?: string | undefined;
  listed: readonly { id: string; name: string }[];
}

const lines = (value: Value): string => (Array.isArray(value) ? value.join("\n") : "");

/** What is typed into a list: its lines, as they are while somebody types. */
const entries = (typed: string): readonly string[] => (typed === "" ? [] : typed.split("\n"));

/** Enters the value of a setting, by its kind. */
export function Entry({ setting: s, value, change, id, describedBy, error, listed }: Props) {
  const named = { id, "aria-describedby": describedBy, "aria-invalid": error !== undefined, autoComplete: "off" };
  switch (s.kind) {
    case "switch":
      return (
        <Group gap="xs">
          <Switch id={id} checked={value === true} onChange={(e) => change(e.currentTarget.checked)} aria-describedby={describedBy} />
          <Text span aria-hidden>
            {value === true ? texts.on : texts.off}
          </Text>
        </Group>
      );
    case "choice": {
      const all: readonly Value[] = [...s.options, ...(s.none ? [null] : [])];
      const data = all.map((o) => {
        const unbuilt = s.unbuilt?.includes(String(o)) ?? false;
        return { value: o === null ? noneOption : String(o), label: unbuilt ? `${optionName(s, o)} (${texts.unbuilt})` : optionName(s, o), disabled: unbuilt && value !== o };
      });
      return <NativeSelect {...named} value={value === null ? noneOption : String(value)} data={data} onChange={(e) => change(s.none && e.currentTarget.value === noneOption ? null : e.currentTarget.value)} />;
    }
    case "number":
      return <NumberInput {...named} value={Number(value)} min={s.min} max={s.max} step={s.step ?? 1} allowDecimal={s.step !== undefined} clampBehavior="none" hideControls onChange={(v) => change(typeof v === "number" ? v : v === "" ? "" : Number(v))} />;
    case "money":
      return <NumberInput {...named} value={Number(value) / micros} min={0} max={s.max / micros} decimalScale={2} clampBehavior="none" hideControls onChange={(v) => change(Math.round(Number(v) * micros))} />;
    case "list":
      return <Textarea {...named} rows={Math.min(8, Math.max(3, Array.isArray(value) ? value.length + 1 : 3))} resize="vertical" value={lines(value)} onChange={(e) => change(entries(e.currentTarget.value))} spellCheck={false} />;
    case "listed":
      return <NativeSelect {...named} value={String(value)} data={[{ value: "", label: texts.none }, ...listed.map((l) => ({ value: l.id, label: l.name })), ...(value !== "" && !listed.some((l) => l.id === value) ? [{ value: String(value), label: String(value) }] : [])]} onChange={(e) => change(e.currentTarget.value)} />;
    case "zone":
      return (
        <>
          <TextInput {...named} list="zones" value={String(value)} maxLength={s.max} onChange={(e) => change(e.currentTarget.value)} />
          <datalist id="zones">
            {Intl.supportedValuesOf("timeZone").map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      );
    case "text":
      return <TextInput {...named} value={String(value)} maxLength={s.max} onChange={(e) => change(e.currentTarget.value)} />;
  }
}

/** How a list is entered, and how much a number may be. */
export function hint(s: Worded): string {
  if (s.kind === "list") return `${texts.onePerLine} ${texts.atMost(s.most)}`;
  if (s.kind === "number") return texts.range(s.min, s.max);
  return "";
}
