import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { useFilters } from "./useFilters";

const read = (search: Record<string, unknown>): { state?: string } => (search["state"] === "open" || search["state"] === "closed" ? { state: search["state"] } : {});

function Shown() {
  const [filters, change] = useFilters(read);
  return (
    <>
      <output>{JSON.stringify(filters)}</output>
      <button onClick={() => change({ state: "closed" })}>Change</button>
      <button onClick={() => change({ state: undefined })}>Clear</button>
    </>
  );
}

test.each([
  ["the route reads the address", read],
  ["the page alone reads it", (search: Record<string, unknown>) => search],
])("unknown values are not filters, and disappear with the first change: %s", async (_, validateSearch) => {
  const root = createRootRoute();
  const routeTree = root.addChildren([createRoute({ getParentRoute: () => root, path: "/list", validateSearch, component: Shown })]);
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: ["/list?state=open&utm=mail&cursor=3"] }) });
  show(<RouterProvider router={router as never} />);
  expect((await screen.findByText(/open/)).textContent).toBe('{"state":"open"}');
  fireEvent.click(screen.getByText("Change"));
  expect((await screen.findByText(/closed/)).textContent).toBe('{"state":"closed"}');
  expect(router.state.location.searchStr).toBe("?state=closed");
  fireEvent.click(screen.getByText("Clear"));
  expect(await screen.findByText("{}")).toBeTruthy();
  expect(router.state.location.searchStr).toBe("");
});
