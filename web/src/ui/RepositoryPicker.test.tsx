import { screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { stubService } from "@/test/page";
import { show } from "@/test/render";
import { text } from "@/texts";
import { RepositoryPicker } from "./RepositoryPicker";

afterEach(() => vi.unstubAllGlobals());

const shown = () => (screen.getByLabelText(text.common.repository, { selector: "input" }) as HTMLInputElement).value;

test("a chosen repository has its name, also if the list does not reach it; one that is gone has its id", async () => {
  const far = { id: "rep_far", owner: "acme", name: "zebra" };
  stubService({ "GET /api/tenants/ten_1/repositories": { items: [{ id: "rep_1", owner: "acme", name: "store" }], nextCursor: "c" }, "GET /api/tenants/ten_1/repositories/rep_far": far });
  const { unmount } = show(<RepositoryPicker tenantId="ten_1" value="rep_far" onChange={vi.fn()} />);
  await waitFor(() => expect(shown()).toBe("acme/zebra"));
  unmount();
  show(<RepositoryPicker tenantId="ten_1" value="rep_gone" onChange={vi.fn()} />);
  await waitFor(() => expect(shown()).toBe("rep_gone"));
});
