import { run as texts } from "@/texts/run";
import { Outside } from "@/ui/Outside";
import type { Run } from "./types";

/** The person who asked for a run; without a name, the way in which it was requested. */
export function AskedBy({ by }: { by: NonNullable<Run["askedBy"]> }) {
  return by.name ? <Outside says={by.name} /> : <>{texts.askedHow[by.how]}</>;
}
