import { useState } from "react";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";
import { stubService, type Answers } from "@/test/page";
import { show } from "@/test/render";
import { members as texts } from "@/texts/members";
import { Invitations } from "./Invitations";

afterEach(() => {
  vi.unstubAllGlobals();
  notifications.clean();
});

const path = "/api/tenants/ten_1/invitations";
const one = { id: "inv_1", role: "member", createdBy: "u1", createdByName: "Ada", createdAt: "2026-11-20T00:00:00Z", expiresAt: "2026-11-27T00:00:00Z" };

function Page() {
  const [inviting, setInviting] = useState(true);
  return <Invitations tenantId="ten_1" inviting={inviting} close={() => setInviting(false)} />;
}

const open = (answers: Answers) => {
  const sent = stubService(answers);
  show(<Page />);
  return sent;
};

test("a link is created for the chosen role, and shown once", async () => {
  const link = "https://assay.example.com/invitation#the-token";
  const sent = open({ [`GET ${path}`]: { items: [] }, [`POST ${path}`]: { ...one, role: "admin", link } });
  expect(await screen.findByText(texts.noInvitations)).toBeTruthy();
  fireEvent.change(await screen.findByLabelText(texts.role), { target: { value: "admin" } });
  fireEvent.click(screen.getByRole("button", { name: texts.makeLink }));
  expect(await screen.findByText(link)).toBeTruthy();
  expect(await sent.find((r) => r.method === "POST")?.json()).toEqual({ role: "admin" });
  fireEvent.click(screen.getByRole("button", { name: texts.linkKept }));
  await waitFor(() => expect(screen.queryByText(link)).toBeNull());
});

test("an open invitation is revoked after a question", async () => {
  const sent = open({ [`GET ${path}`]: { items: [one] }, [`DELETE ${path}/inv_1`]: new Response(null, { status: 204 }) });
  fireEvent.click(await screen.findByLabelText(texts.revokeOf("member", "Ada")));
  expect(sent.some((r) => r.method === "DELETE")).toBe(false);
  const question = await screen.findByRole("dialog", { name: texts.revokeTitle });
  fireEvent.click(within(question).getByRole("button", { name: texts.revoke }));
  await waitFor(() => expect(sent.some((r) => r.method === "DELETE" && r.url.endsWith("/inv_1"))).toBe(true));
});

test("a list that fails says so", async () => {
  open({});
  expect(await screen.findByRole("alert")).toBeTruthy();
});
