import { NativeSelect } from "@mantine/core";
import { text } from "@/texts";

interface Props {
  label: string;
  /** The words of each value. */
  names: Record<string, string>;
  /** The current value; undefined for an unset filter. */
  value: string | undefined;
  /** Puts a value into effect; "" unsets the filter. */
  apply: (value: string) => void;
  /** The words of an unset filter. */
  all?: string;
}

/** A filter with several named values. It can be unset. */
export function ChoiceFilter({ label, names, value, apply, all = text.common.all }: Props) {
  return (
    <NativeSelect
      label={label}
      autoComplete="off"
      value={value ?? ""}
      data={[{ value: "", label: all }, ...Object.entries(names).map(([name, says]) => ({ value: name, label: says }))]}
      onChange={(e) => apply(e.currentTarget.value)}
    />
  );
}
