import { createRootRouteWithContext, createRoute } from "@tanstack/react-router";
import type { QueryClient } from "@tanstack/react-query";
import { accessQuery, meQuery } from "@/api/queries";
import { Problem } from "@/api/problem";
import { InstanceFrame, TenantFrame } from "./frame/Frame";
import { Root } from "./Root";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The name of the page in the breadcrumbs, which pages of a repository have. */
    crumb?: string;
    /** The list of the tenant that has what the page is about; of a repository, it is shown for that one. */
    list?: { says: string; to: "/t/$tenantId/runs" | "/t/$tenantId/findings" | "/t/$tenantId/dry-runs" | "/t/$tenantId/onboardings" };
  }
}

/** Above all pages: the person is signed in, or is sent to the service's sign-in page. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Root,
  beforeLoad: async ({ context, location }) => {
    if ((await context.queryClient.ensureQueryData(meQuery)) === null) {
      window.location.assign(`/?return=${encodeURIComponent(location.href)}`);
      await new Promise(() => undefined); // the page goes away
    }
  },
});

/** Above the pages of a tenant. Each page's route has this as its parent. */
export const tenantRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/t/$tenantId",
  component: TenantFrame,
  loader: ({ context, params }) => context.queryClient.ensureQueryData(accessQuery(params.tenantId)),
  onError: (error: unknown) => {
    if (error instanceof Problem && error.absent) throw error;
  },
});

/** Above the pages of the instance, for those who manage it. */
export const instanceRoute = createRoute({ getParentRoute: () => rootRoute, path: "/instance", component: InstanceFrame });
