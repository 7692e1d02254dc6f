import { fireEvent, screen, waitFor } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";
import type { Answer } from "@/api/client";
import { Problem } from "@/api/problem";
import { policyTable } from "@/pages/policy/table";
import { show } from "@/test/render";
import { policyWords } from "@/texts/settings";
import { SettingsForm } from "./SettingsForm";
import type { Value } from "./table";
import { worded } from "./words";

afterEach(() => notifications.clean()); // drafts stay in the window that all tests share

const table = worded(policyTable, policyWords);
const stored = (data: object, etag: string): Answer<object> => ({ data, etag, filled: true });

const form = (over: Partial<Parameters<typeof SettingsForm>[0]> = {}) =>
  show(
    <SettingsForm
      tenantId="ten_1"
      table={table}
      groups={["start", "files", "says"]}
      stored={stored({ minSeverity: "low" }, '"v1"')}
      send={async () => stored({}, '"v2"')}
      read={async () => stored({}, '"v2"')}
      saved={() => undefined}
      mayChange
      inherited={(name) => ({ value: (table.find((s) => s.name === name)?.builtIn ?? null) as Value, origin: "default" })}
      {...over}
    />,
  );

const save = async () => {
  fireEvent.click(screen.getByText("Review the changes"));
  fireEvent.click(await screen.findByText("Save"));
};

test("only set values are sent, without those that were reset", async () => {
  const send = vi.fn(async () => stored({ profile: "quiet" }, '"v2"'));
  form({ send });
  fireEvent.click(screen.getByLabelText("Use the default: everything (Minimum severity)"));
  fireEvent.change(screen.getByLabelText("Strictness"), { target: { value: "quiet" } });
  expect(screen.getByText("2 settings are changed, but not saved.")).toBeTruthy();
  await save();
  await waitFor(() => expect(send).toHaveBeenCalledExactlyOnceWith({ profile: "quiet" }, '"v1"'));
});

test("a control sets its setting here at once, and the keyboard stays at it on the way back", () => {
  form();
  const row = screen.getByLabelText("Drafts").closest<HTMLElement>("[data-setting]")!;
  expect(row.textContent).toContain("built in");
  fireEvent.blur(screen.getByLabelText("Comments on lines")); // looked at, and not changed
  expect(screen.getByText("No changes.")).toBeTruthy();
  fireEvent.click(screen.getByLabelText("Drafts"));
  expect(row.textContent).toContain("set here");
  expect(screen.getByText("1 setting is changed, but not saved.")).toBeTruthy();
  fireEvent.click(screen.getByLabelText("Drafts"));
  expect(row.textContent).toContain("set here"); // to the value of the default, which may change
  fireEvent.click(screen.getByLabelText("Use the default: Off (Drafts)"));
  expect(row.textContent).toContain("built in");
  expect(screen.getByText("No changes.")).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByLabelText("Drafts"));
});

test("the difference shows the former and the new values", async () => {
  form();
  fireEvent.change(screen.getByLabelText("Minimum severity"), { target: { value: "high" } });
  fireEvent.click(screen.getByText("Review the changes"));
  const row = (await screen.findByText("After saving")).closest("table")!.querySelector("tbody")!;
  expect(row.textContent).toBe("Minimum severitylow and abovehigh and above");
});

test("a refusal stands at its setting", async () => {
  form({ send: async () => Promise.reject(new Problem({ status: 422, code: "invalid", detail: "", fields: [{ pointer: "/paths/include/1", message: "is no pattern" }] })) });
  fireEvent.change(screen.getByLabelText("Included files"), { target: { value: "a\n[" } });
  await save();
  expect(await screen.findByText("Line 2: is no pattern.")).toBeTruthy();
  expect((screen.getByLabelText("Included files") as HTMLTextAreaElement).value).toBe("a\n[");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Included files"))); // it is also where the keyboard is
});

test("another person's saved changes are shown, and the person's own are applied on top", async () => {
  const send = vi
    .fn<(document: Record<string, unknown>, etag: string) => Promise<Answer<unknown>>>()
    .mockRejectedValueOnce(new Problem({ status: 412, code: "stale", detail: "" }))
    .mockResolvedValueOnce(stored({}, '"v3"'));
  form({ send, read: async () => stored({ minSeverity: "low", profile: "quiet" }, '"v2"') });
  fireEvent.change(screen.getByLabelText("Minimum severity"), { target: { value: "high" } });
  await save();
  const met = await screen.findByText("Another person has saved these settings in the meantime.");
  expect(met.closest("[role=alert]")!.textContent).toContain("Strictness");
  await save();
  await waitFor(() => expect(send).toHaveBeenLastCalledWith({ minSeverity: "high", profile: "quiet" }, '"v2"'));
});

test("a person who may not change settings sees values, and no field", () => {
  form({ mayChange: false });
  expect(screen.getByText("low and above")).toBeTruthy();
  expect(screen.queryByLabelText("Minimum severity")).toBeNull();
  expect(screen.queryByText("Review the changes")).toBeNull();
});

test("a locked setting is shown and not offered", () => {
  form({ lockedAbove: (name) => name === "profile" });
  expect(screen.queryByLabelText("Strictness")).toBeNull();
  expect(screen.getByText("Locked by the tenant")).toBeTruthy();
});

test("a value from before a lock is neither shown as effective nor sent", async () => {
  const send = vi.fn(async () => stored({}, '"v2"'));
  form({ send, stored: stored({ minSeverity: "low", profile: "quiet" }, '"v1"'), lockedAbove: (name) => name === "profile" });
  expect(screen.getByText("balanced")).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Minimum severity"), { target: { value: "high" } });
  await save();
  await waitFor(() => expect(send).toHaveBeenCalledExactlyOnceWith({ minSeverity: "high" }, '"v1"'));
});

test("a lock on a group is taken from one of its settings", async () => {
  const send = vi.fn(async () => stored({}, '"v2"'));
  form({ send, stored: stored({ locked: ["paths"] }, '"v1"'), locks: policyTable.map((s) => s.name) });
  fireEvent.click(screen.getByLabelText("Lock for repositories: Included files"));
  await save();
  await waitFor(() => expect(send).toHaveBeenCalledExactlyOnceWith({ locked: ["paths.exclude"] }, '"v1"'));
});
