import { fireEvent, screen, waitFor } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dropInvitation, heldInvitation, takeInvitation } from "@/app/invitation";
import { stubService } from "@/test/page";
import { show } from "@/test/render";
import { invitation as texts } from "@/texts/members";
import { problems } from "@/texts/problems";
import { InvitationPage } from "./InvitationPage";

const offer = { tenantId: "ten_1", tenantName: "Acme", role: "member", expiresAt: "2030-01-01T00:00:00Z" };
const look = "POST /api/me/invitations/look";

beforeEach(() => {
  window.history.pushState({}, "", "/invitation#the-token");
  takeInvitation();
});

afterEach(() => {
  vi.unstubAllGlobals();
  notifications.clean();
  dropInvitation();
  window.history.pushState({}, "", "/");
});

test("the token leaves the address, and outlives a sign-in in the tab", () => {
  expect(location.href.endsWith("/invitation")).toBe(true);
  expect(heldInvitation()).toBe("the-token");
  takeInvitation(); // the page after the sign-in
  expect(sessionStorage.getItem("assay-invitation")).toBe("the-token");
});

test("the page tells what the invitation gives, and joins with one click", async () => {
  const sent = stubService({ [look]: offer, "POST /api/me/invitations/accept": { ...offer, hasRole: "member" } });
  show(<InvitationPage />);
  expect(await screen.findByText(texts.gives("Acme", "member"))).toBeTruthy();
  expect(sent.some((r) => r.url.endsWith("/accept"))).toBe(false);
  fireEvent.click(screen.getByRole("button", { name: texts.join }));
  await waitFor(() => expect(heldInvitation()).toBe(""));
  const accepted = sent.find((r) => r.url.endsWith("/accept"));
  expect(await accepted?.json()).toEqual({ token: "the-token" });
});

test("a person who has the role is led to the tenant, without using the invitation up", async () => {
  stubService({ [look]: { ...offer, hasRole: "admin" } });
  show(<InvitationPage />);
  expect(await screen.findByText(texts.has("administrator"))).toBeTruthy();
  expect(screen.queryByRole("button", { name: texts.join })).toBeNull();
  expect(screen.getByText(texts.open).closest("a")?.getAttribute("href")).toBe("/t/ten_1/inbox");
});

test("an invitation that is not valid says so, and its token is forgotten", async () => {
  const said = { code: "invitation_over", detail: "This invitation is not valid." };
  stubService({ [look]: () => new Response(JSON.stringify(said), { status: 404 }) });
  show(<InvitationPage />);
  expect(await screen.findByText(problems["invitation_over"]!.title)).toBeTruthy();
  await waitFor(() => expect(heldInvitation()).toBe(""));
});

test("without an invitation the page says what to do", () => {
  dropInvitation();
  show(<InvitationPage />);
  expect(screen.getByText(texts.none)).toBeTruthy();
});
