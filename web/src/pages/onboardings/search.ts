import { onboarding as texts } from "@/texts/onboarding";
import { known, oneOf } from "@/ui/filterValues";
import type { State } from "./state";

/** The filters of the new repositories. */
export interface OnboardingsSearch {
  state?: State;
}

/** Reads the address, and leaves out what the page does not know. */
export const readSearch = (search: Record<string, unknown>): OnboardingsSearch => known<OnboardingsSearch>({ state: oneOf(texts.state, search["state"]) });
