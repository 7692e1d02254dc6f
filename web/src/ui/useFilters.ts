import { useCallback, useMemo } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";

/**
 * The filters of the page's address, and what changes them. The router hands pages everything
 * that stands in an address, also what no route knows; `read` leaves that out, here and where
 * the address is changed. It is a function that stays the same.
 */
export function useFilters<F extends object>(read: (search: Record<string, unknown>) => F): readonly [F, (to: Record<string, unknown>) => void] {
  const said = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const filters = useMemo(() => read(said), [read, said]);
  const change = useCallback((to: Record<string, unknown>) => void navigate({ to: ".", search: ((now: Record<string, unknown>) => read({ ...now, ...to })) as never, replace: true }), [navigate, read]);
  return [filters, change];
}
