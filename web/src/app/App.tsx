import { lazy, Suspense } from "react";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { connection } from "@/api/connection";
import { recoverQueries } from "@/api/recovery";
import { Problem } from "@/api/problem";
import { Aside } from "@/ui/Aside";
import { takeInvitation } from "./invitation";
import { PartMissing } from "./PartMissing";
import { makeRouter } from "./router";
import { theme } from "./theme";
import { whenIdle } from "./whenIdle";

// Loaded after the page, because overlays appear only after an action of the person.
const Overlays = lazy(() => whenIdle(() => import("./Overlays")));

const attempts = 2; // further attempts after a temporary failure

/**
 * The cache of the service's answers. A refused request is not repeated automatically. Requests are also sent while the
 * browser reports that it is offline: the service may be on the same machine or network, and a request that waited in
 * silence would be sent later, without a person's knowledge.
 */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 15_000, networkMode: "always", refetchOnReconnect: true, retry: (failed, error) => failed < attempts && error instanceof Problem && error.passing && !connection.lost() },
      mutations: { networkMode: "always" },
    },
  });
}

const queryClient = makeQueryClient();
takeInvitation();
const router = makeRouter(queryClient);
recoverQueries(queryClient, () => {
  if (router.state.matches.some((m) => m.status === "error")) void router.invalidate(); // a page that could not begin
});

export function App({ nonce }: { nonce: string }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Aside instead={<PartMissing />}>
          <Suspense>
            <Overlays />
          </Suspense>
        </Aside>
      </QueryClientProvider>
    </MantineProvider>
  );
}
