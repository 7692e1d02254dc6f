import { lazy, Suspense } from "react";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Problem } from "@/api/problem";
import { Aside } from "@/ui/Aside";
import { PartMissing } from "./PartMissing";
import { makeRouter } from "./router";
import { theme } from "./theme";

// They come after the page: nothing is shown above it before somebody has done something.
const Overlays = lazy(() => import("./Overlays"));

const attempts = 2; // after the first, of what may pass

/** The cache of what the service has said. What is refused is not asked for again by itself. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 15_000, retry: (failed, error) => failed < attempts && error instanceof Problem && error.passing },
    },
  });
}

const queryClient = makeQueryClient();
const router = makeRouter(queryClient);

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
