import { useLocalStorage } from "@mantine/hooks";

/** Whether the overview of this browser shows the first steps of a tenant: until all are done, or the person hides them. */
export function usePutAway(tenantId: string): ["" | "away" | "done", (to: "" | "away" | "done") => void] {
  const [value, set] = useLocalStorage<"" | "away" | "done">({ key: `assay-first-steps-${tenantId}`, defaultValue: "", getInitialValueInEffect: false });
  return [value, set];
}
