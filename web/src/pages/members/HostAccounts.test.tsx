import { fireEvent, screen, waitFor } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";
import { stubService } from "@/test/page";
import { show } from "@/test/render";
import { hostAccounts as texts } from "@/texts/hostAccounts";
import { HostAccounts as Mine } from "../me/HostAccounts";
import { HostAccounts } from "./HostAccounts";

afterEach(() => {
  vi.unstubAllGlobals();
  notifications.clean();
});

const link = { connectionId: "pcn_1", connectionName: "Payments", kind: "bitbucket-cloud", host: "https://bitbucket.org", userId: "usr_1", account: { id: "u-1", login: "mia", name: "Mia Li" }, state: "proposed", counts: false, proposedBy: "usr_2", proposedByName: "Ada", proposedAt: "2026-11-20T00:00:00Z" };
const member = "/api/tenants/ten_1/members/usr_1/host-accounts";
const mine = "/api/me/tenants/ten_1/host-accounts";
const connections = { items: [{ id: "pcn_1", name: "Payments", kind: "bitbucket-cloud" }, { id: "pcn_2", name: "Lab", kind: "gitlab" }] };

test("an account that the host shows is linked, and unlinked", async () => {
  const sent = stubService({
    [`GET ${member}`]: { items: [link] },
    "GET /api/tenants/ten_1/provider-connections": connections,
    "GET /api/tenants/ten_1/provider-connections/pcn_1/accounts": { items: [link.account] },
    [`PUT ${member}/pcn_1`]: link,
    [`DELETE ${member}/pcn_1`]: new Response(null, { status: 204 }),
  });
  show(<HostAccounts tenantId="ten_1" userId="usr_1" />);
  expect(await screen.findByText(texts.state.proposed)).toBeTruthy();
  expect(screen.queryByText("Lab")).toBeNull();
  fireEvent.change(await screen.findByRole("textbox", { name: new RegExp(texts.query) }), { target: { value: "mia" } });
  fireEvent.click(screen.getByRole("button", { name: texts.search }));
  fireEvent.click(await screen.findByRole("button", { name: texts.linkOf("mia") }));
  await waitFor(() => expect(sent.some((r) => r.method === "PUT")).toBe(true));
  expect(await sent.find((r) => r.method === "PUT")?.json()).toEqual({ accountId: "u-1", login: "mia" });
  fireEvent.click(screen.getByRole("button", { name: texts.unlinkOf("mia") }));
  await waitFor(() => expect(sent.some((r) => r.method === "DELETE")).toBe(true));
});

test("the person says whether the account is theirs", async () => {
  const sent = stubService({ [`GET ${mine}`]: { items: [link] }, [`POST ${mine}/pcn_1/answer`]: { ...link, state: "confirmed", counts: true } });
  show(<Mine tenantId="ten_1" />);
  fireEvent.click(await screen.findByRole("button", { name: texts.confirm }));
  await waitFor(() => expect(sent.some((r) => r.method === "POST")).toBe(true));
  expect(await sent.find((r) => r.method === "POST")?.json()).toEqual({ accountId: "u-1", mine: true });
});
