import type { Setting } from "./table";

// The settings of a tenant. tenantTable.test.ts holds them to the description of the interface.
export const tenantTable = [
  { name: "name", group: "tenant", kind: "text", min: 1, max: 100 },
  { name: "timeZone", group: "tenant", kind: "zone", max: 64 },
  { name: "currency", group: "tenant", kind: "text", min: 3, max: 3 },
  { name: "hostOwnersAreAdmins", group: "people", kind: "switch" },
  { name: "collaborators", group: "people", kind: "choice", options: ["none", "member"] },
  { name: "membersWithoutHostRole", group: "people", kind: "choice", options: ["none", "view"] },
  { name: "authorMayApprove", group: "people", kind: "switch" },
  { name: "requiredIdentityProviderId", group: "people", kind: "listed", max: 60 },
  { name: "monthlyBudgetMicros", group: "formerBudget", kind: "money", max: 1_000_000_000_000_000 },
] as const satisfies readonly Setting[];

export type TenantName = (typeof tenantTable)[number]["name"];

export const tenantGroups = ["tenant", "people", "formerBudget"] as const;

/** The groups that a page shows. The budget stands on the page Costs; one that was set here before can only be changed and removed here. */
export const groupsOf = (stored: { monthlyBudgetMicros?: number }): readonly (typeof tenantGroups)[number][] => tenantGroups.filter((g) => g !== "formerBudget" || (stored.monthlyBudgetMicros ?? 0) > 0);
