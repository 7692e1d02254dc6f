import type { ReactNode } from "react";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import { render, type RenderResult } from "@testing-library/react";
import { theme } from "@/app/theme";
import { Questions } from "@/ui/Questions";

/** Shows something as the console does, without its frame; its links have addresses and lead nowhere. */
export function show(what: ReactNode): RenderResult {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory({ initialEntries: ["/"] }) });
  return render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <RouterContextProvider router={router as never}>
          <Questions>
            <Notifications />
            {what}
          </Questions>
        </RouterContextProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
}
