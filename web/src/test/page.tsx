import type { ReactNode } from "react";
import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from "@tanstack/react-router";
import { vi } from "vitest";
import { show } from "./render";

/** The signed-in person in tests. A window has one session, and all tests share the window. */
export const signedIn = { id: "u1", name: "Ada", csrfToken: "t", instanceAdmin: false };

/** Answers by "METHOD path". A function makes one from the request. Other requests get 404. */
export type Answers = Record<string, unknown>;

/** Answers requests of the console, and keeps those that were sent. Take it back with vi.unstubAllGlobals. */
export function stubService(answers: Answers): Request[] {
  const sent: Request[] = [];
  vi.stubGlobal("fetch", async (input: Request | URL | string) => {
    const request = input instanceof Request ? input : new Request(input);
    sent.push(request.clone() as Request);
    const name = `${request.method} ${new URL(request.url).pathname}`;
    const said = Object.hasOwn(answers, name) ? answers[name] : name === "GET /api/me" ? signedIn : undefined;
    const made: unknown = typeof said === "function" ? await (said as (r: Request) => unknown)(request) : said;
    if (made instanceof Response) return made;
    return new Response(JSON.stringify(made ?? { code: "not_found", detail: "Not found." }), { status: made === undefined ? 404 : 200, headers: { "Content-Type": "application/json" } });
  });
  return sent;
}

/** Shows a page of a tenant at an address; path is that of its route, below the tenant. Links lead to places that are empty. */
export function showPage(page: () => ReactNode, path: string, at: string, search: (search: Record<string, unknown>) => object = (s) => s) {
  const root = createRootRoute({ component: Outlet, notFoundComponent: () => null });
  const tenant = createRoute({ getParentRoute: () => root, path: "/t/$tenantId", component: Outlet });
  const below = path === "/" ? createRoute({ getParentRoute: () => tenant, path: "/", component: page, validateSearch: search }) : createRoute({ getParentRoute: () => tenant, path, component: page, validateSearch: search });
  const router = createRouter({ routeTree: root.addChildren([tenant.addChildren([below])]), history: createMemoryHistory({ initialEntries: [at] }) });
  return { ...show(<RouterProvider router={router as never} />), router };
}
