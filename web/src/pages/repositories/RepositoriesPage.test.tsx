import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { text } from "@/texts";
import { RepositoriesPage } from "./RepositoriesPage";
import { readSearch } from "./route";

afterEach(() => vi.unstubAllGlobals());

const open = (at: string, items: unknown[] = []) => {
  stubService({ "GET /api/tenants/ten_1/repositories": { items }, "GET /api/tenants/ten_1/access": { permissions: [], repositories: [] } });
  return showPage(() => <RepositoriesPage />, "/repositories", at, readSearch).router;
};

const field = () => screen.getByLabelText<HTMLInputElement>(text.repositories.filterName);

test("a filter that nothing meets can be taken away, and the field is then empty", async () => {
  const router = open("/t/ten_1/repositories?name=zzz");
  expect(await screen.findByText(text.repositories.empty)).toBeTruthy();
  expect(field().value).toBe("zzz");
  fireEvent.click(screen.getByText(text.repositories.clear));
  expect(await screen.findByText(text.repositories.none)).toBeTruthy();
  expect(field().value).toBe("");
  expect(router.state.location.searchStr).toBe("");
});

test("what is entered goes into the address, and the field follows the address", async () => {
  const router = open("/t/ten_1/repositories");
  await screen.findByText(text.repositories.none);
  fireEvent.change(field(), { target: { value: "pay " } });
  await waitFor(() => expect(router.state.location.searchStr).toBe("?name=pay"));
  expect(field().value).toBe("pay "); // one may go on writing
  router.history.push("/t/ten_1/repositories?name=shop");
  await waitFor(() => expect(field().value).toBe("shop"));
});
