import type { Setting } from "@/pages/settings/table";

// The settings of the instance. A test holds them to the description of the interface.
export const instanceTable = [
  { name: "name", group: "instance", kind: "text", min: 1, max: 100 },
  { name: "publicBaseUrl", group: "instance", kind: "text", min: 1, max: 300 },
  { name: "edition", group: "instance", kind: "choice", options: ["self-hosted", "hosted", "enterprise"] },
  { name: "installationPlacement", group: "instance", kind: "choice", options: ["appOwner", "manual", "tenantPerAccount"] },
  { name: "session.idleMinutes", group: "sessions", kind: "number", min: 5, max: 43_200 },
  { name: "session.absoluteHours", group: "sessions", kind: "number", min: 1, max: 8760 },
  { name: "retention.deliveryBodiesDays", group: "retention", kind: "number", min: 0, max: 3650 },
  { name: "retention.runsDays", group: "retention", kind: "number", min: 0, max: 3650 },
  { name: "retention.auditBodiesDays", group: "retention", kind: "number", min: 0, max: 3650 },
  { name: "pushServiceHosts", group: "network", kind: "list", most: 50 },
  { name: "airGap.allowHttp", group: "network", kind: "switch" },
  { name: "airGap.allowedHosts", group: "network", kind: "list", most: 500 },
  { name: "airGap.allowedCidrs", group: "network", kind: "list", most: 500 },
] as const satisfies readonly Setting[];

export type InstanceName = (typeof instanceTable)[number]["name"];

export const instanceGroups = ["instance", "sessions", "retention", "network"] as const;

/**
 * Whether the process configuration fixes a setting, from the origin that the service reports for the
 * setting or for the group around it.
 */
export function isFixed(origins: Readonly<Record<string, string>>, name: string): boolean {
  const parts = name.split(".");
  return parts.some((_, i) => origins[`/${parts.slice(0, i + 1).join("/")}`] === "configuration");
}
