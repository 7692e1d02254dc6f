import { Empty } from "@/ui/Empty";
import { rules as texts } from "@/texts/rules";
import type { Place, Rule } from "./place";
import { RuleEditor } from "./RuleEditor";

interface Props {
  /** The id of a rule, or "new". */
  edit: string;
  place: Place;
  rules: readonly Rule[];
  close: () => void;
  changed: () => void;
}

/** The editor of the rule that the address names. */
export function Opened({ edit, place, rules, close, changed }: Props) {
  const rule = rules.find((r) => r.id === edit);
  if (edit !== "new" && !rule) return <Empty says={texts.form.gone} />;
  const done = () => {
    changed();
    close();
  };
  return <RuleEditor key={rule ? rule.id : "new"} place={place} rule={rule} done={done} close={close} />;
}
