import { useState } from "react";
import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { stubService } from "@/test/page";
import { show } from "@/test/render";
import { text } from "@/texts";
import { RepositoriesField } from "./RepositoriesField";
import { TenantsField } from "./TenantPicker";

afterEach(() => vi.unstubAllGlobals());

const store = { id: "rep_1", owner: "acme", name: "store" };
const pay = { id: "rep_2", owner: "acme", name: "pay" };

test("repositories are chosen by their names, and taken away again; one that is gone has its id", async () => {
  stubService({ "GET /api/tenants/ten_1/repositories": { items: [store, pay] }, "GET /api/tenants/ten_1/repositories/rep_1": store, "GET /api/tenants/ten_1/repositories/rep_2": pay });
  const said: string[][] = [];
  function Field() {
    const [ids, change] = useState(["rep_1", "rep_gone"]);
    return (
      <RepositoriesField
        tenantId="ten_1"
        label="Repositories"
        ids={ids}
        change={(now) => {
          said.push(now);
          change(now);
        }}
        error="one of them is gone"
      />
    );
  }
  show(<Field />);
  expect(await screen.findByText("acme/store", { selector: "bdi" })).toBeTruthy();
  expect(screen.getByText("rep_gone", { selector: "bdi" })).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toBe("one of them is gone");
  fireEvent.click(screen.getByLabelText(text.common.repository, { selector: "input" }));
  fireEvent.click(await screen.findByRole("option", { name: "acme/pay", hidden: true }));
  expect(await screen.findByText("acme/pay", { selector: "bdi" })).toBeTruthy();
  fireEvent.click(screen.getByLabelText(text.common.removeOf("rep_gone")));
  expect(said).toEqual([["rep_1", "rep_gone", "rep_2"], ["rep_1", "rep_2"]]); // prettier-ignore
});

test("all tenants of the instance can be chosen, also those of later parts of the list", async () => {
  const parts: Record<string, unknown> = { "": { items: [{ id: "ten_1", name: "Acme" }], nextCursor: "c" }, c: { items: [{ id: "ten_2", name: "Beta" }] } };
  stubService({ "GET /api/instance/tenants": (r: Request) => parts[new URL(r.url).searchParams.get("cursor") ?? ""] });
  const change = vi.fn();
  show(<TenantsField label="Tenants" ids={["ten_2"]} change={change} />);
  expect(await screen.findByText("Beta", { selector: "bdi" })).toBeTruthy();
  fireEvent.click(screen.getByLabelText(text.frame.tenant, { selector: "input" }));
  fireEvent.click(await screen.findByRole("option", { name: "Acme", hidden: true }));
  expect(change).toHaveBeenCalledExactlyOnceWith(["ten_2", "ten_1"]);
});
