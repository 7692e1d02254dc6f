import { fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { channels as texts } from "@/texts/channels";
import { ChannelsPage } from "./ChannelsPage";
import { readSearch } from "./route";

afterEach(() => vi.unstubAllGlobals());

const channels = "/api/tenants/ten_1/notification-channels";

async function add(kind: string) {
  const sent = stubService({
    "GET /api/tenants/ten_1/access": { permissions: ["tenant:manage"], repositories: [] },
    [`GET ${channels}`]: { items: [] },
    [`POST ${channels}`]: { id: "cha_1", kind, name: "Ops", events: [], version: 1 },
    [`POST ${channels}/cha_1/secret`]: { secret: "shown-once" },
  });
  showPage(() => <ChannelsPage />, "/notifications", "/t/ten_1/notifications", readSearch);
  fireEvent.click(await screen.findByRole("button", { name: texts.add }));
  const form = within(await screen.findByRole("dialog"));
  fireEvent.change(form.getByLabelText(texts.kind), { target: { value: kind } });
  fireEvent.change(form.getByLabelText(new RegExp(`^${texts.name}`)), { target: { value: "Ops" } });
  fireEvent.click(form.getByRole("button", { name: texts.add }));
  await screen.findByText(texts.added);
  return sent;
}

test("a new webhook gets its secret at once, because its messages are signed", async () => {
  await add("webhook");
  expect(await screen.findByText("shown-once")).toBeTruthy();
});

test("a channel that signs nothing gets no secret", async () => {
  const sent = await add("email");
  expect(sent.filter((r) => r.url.endsWith("/secret"))).toEqual([]);
});
