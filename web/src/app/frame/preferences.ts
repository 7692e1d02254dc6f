import { useLocalStorage } from "@mantine/hooks";

/** The tenant that was looked at last in this browser; "" at first. */
export const lastTenantKey = "assay-tenant";

/** Whether single keys are shortcuts (WCAG 2.2, 2.1.4 requires a way to turn them off). */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const [on, setOn] = useLocalStorage({ key: "assay-single-keys", defaultValue: true });
  return [on, setOn];
}

export function rememberTenant(tenantId: string): void {
  try {
    localStorage.setItem(lastTenantKey, tenantId);
  } catch {
    // Browsers may forbid to keep anything; then the list of tenants is the start page.
  }
}

export function rememberedTenant(): string {
  try {
    return localStorage.getItem(lastTenantKey) ?? "";
  } catch {
    return "";
  }
}
