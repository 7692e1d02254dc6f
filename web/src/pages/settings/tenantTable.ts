import type { Setting } from "./table";

// The settings of a tenant. tenantTable.test.ts holds them to the description of the interface.
export const tenantTable = [
  { name: "name", group: "tenant", kind: "text", min: 1, max: 100 },
  { name: "timeZone", group: "tenant", kind: "zone", max: 64 },
  { name: "currency", group: "tenant", kind: "text", min: 3, max: 3 },
  { name: "monthlyBudgetMicros", group: "tenant", kind: "money", max: 1_000_000_000_000_000 },
  { name: "hostOwnersAreAdmins", group: "people", kind: "switch" },
  { name: "collaborators", group: "people", kind: "choice", options: ["none", "member"] },
  { name: "membersWithoutHostRole", group: "people", kind: "choice", options: ["none", "view"] },
  { name: "authorMayApprove", group: "people", kind: "switch" },
  { name: "requiredIdentityProviderId", group: "people", kind: "listed", max: 60 },
] as const satisfies readonly Setting[];

export type TenantName = (typeof tenantTable)[number]["name"];

export const tenantGroups = ["tenant", "people"] as const;
