import type { Schemas } from "@/api/queries";

type Settings = Schemas["MyAssignmentSettings"];
type Update = Schemas["MyAssignmentSettingsUpdate"];

/** The settings as a form has them: paths as lines, no bound as nothing. */
export interface Values extends Record<string, unknown> {
  optOut: boolean;
  maxOpenReviews: number | "";
  timeZone: string;
  workingHours: Schemas["WorkingHours"][];
  wantedPaths: string;
  unwantedPaths: string;
}

/** The initial values of the form. If they were never saved, they are in the browser's time zone. */
export const valuesOf = (s: Settings, zone: string): Values => ({
  optOut: s.optOut,
  maxOpenReviews: s.maxOpenReviews ?? "",
  timeZone: s.version === 0 && zone !== "" ? zone : s.timeZone,
  workingHours: s.workingHours ?? [],
  wantedPaths: (s.wantedPaths ?? []).join("\n"),
  unwantedPaths: (s.unwantedPaths ?? []).join("\n"),
});

const lines = (entered: string): string[] =>
  entered
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The request body. */
export const bodyOf = ({ maxOpenReviews, wantedPaths, unwantedPaths, ...rest }: Values): Update => ({
  ...rest,
  ...(maxOpenReviews === "" ? {} : { maxOpenReviews }),
  wantedPaths: lines(wantedPaths),
  unwantedPaths: lines(unwantedPaths),
});
