import { Stack, Text } from "@mantine/core";
import { answer, api } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { calibration as texts } from "@/texts/calibration";
import { records } from "@/texts/records";
import { category } from "@/texts/terms";
import type { Column } from "@/ui/ListTable";
import { Time } from "@/ui/Time";
import { Listed, type Place } from "./Listed";

type Calibration = Schemas["Calibration"];

const columns: readonly Column<Calibration>[] = [
  { key: "category", heading: records.category, cell: (r) => category(r.category) },
  { key: "taken", heading: records.taken, cell: (r) => r.taken, numbers: true },
  { key: "refused", heading: records.refused, cell: (r) => r.refused, numbers: true },
  { key: "ignored", heading: texts.ignored, cell: (r) => r.ignored, numbers: true },
  {
    key: "share",
    heading: texts.share,
    cell: (r) => (
      <Stack gap={0}>
        <span>{r.share ? texts.interval(r.share) : texts.unknown}</span>
        {r.buckets.length > 0 && (
          <details>
            <summary>{texts.byConfidence}</summary>
            <ul>
              {r.buckets.map((b) => (
                <li key={b.from}>{texts.bucket(b)}</li>
              ))}
            </ul>
          </details>
        )}
      </Stack>
    ),
  },
  {
    key: "threshold",
    heading: texts.threshold,
    cell: (r) => (
      <Stack gap={0}>
        <span>{r.threshold === null ? texts.without : texts.confidence(r.threshold)}</span>
        {r.since && (
          <Text size="sm">
            {texts.since} <Time at={r.since} />
          </Text>
        )}
        {r.impliedThreshold !== null && r.impliedThreshold !== r.threshold && <Text size="sm">{texts.implied(r.impliedThreshold)}</Text>}
        {r.threshold !== null && r.held !== "" && <Text size="sm">{r.held === "outcomes" ? texts.missing(r.missing) : texts.held[r.held]}</Text>}
      </Stack>
    ),
  },
];

/** How often findings were taken or refused, and the confidence that comments need since. */
export function Calibration(at: Place) {
  return (
    <Listed<Calibration>
      at={at}
      list="calibration"
      columns={columns}
      rowKey={(r) => r.id}
      read={(query, signal) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/calibration", { params: { path: at, query }, signal }))}
    />
  );
}
