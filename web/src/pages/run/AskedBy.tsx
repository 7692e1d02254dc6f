import { run as texts } from "@/texts/run";
import type { Run } from "./types";

/** Who asked for a run; where nobody is known by name, how it was asked for. */
export function AskedBy({ by }: { by: NonNullable<Run["askedBy"]> }) {
  return by.name ? <bdi>{by.name}</bdi> : <>{texts.askedHow[by.how]}</>;
}
