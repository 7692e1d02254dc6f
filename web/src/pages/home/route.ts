import { createRoute, redirect } from "@tanstack/react-router";
import { lazyPage } from "@/app/lazyPage";
import { meQuery, myTenantsQuery } from "@/api/queries";
import { rememberedTenant } from "@/app/frame/preferences";
import { rootRoute } from "@/app/roots";

/** The start page: the tenant that was looked at last, the only one, or a list of them. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { choose?: true } => (search["choose"] ? { choose: true } : {}),
  beforeLoad: async ({ context, search }) => {
    const { items } = await context.queryClient.ensureQueryData(myTenantsQuery);
    const last = items.find((t) => t.id === rememberedTenant());
    const to = items.length === 1 ? items[0] : last;
    if (items.length === 0 && !search.choose && (await context.queryClient.ensureQueryData(meQuery))?.instanceAdmin) throw redirect({ to: "/instance/health", replace: true });
    if (to && !search.choose) throw redirect({ to: "/t/$tenantId/inbox", params: { tenantId: to.id }, replace: true });
  },
  component: lazyPage(() => import("./HomePage"), "HomePage"),
});
