import { useState } from "react";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { notifications } from "@mantine/notifications";
import { afterEach, expect, test } from "vitest";
import type { Answer } from "@/api/client";
import { Problem } from "@/api/problem";
import { defaultsTable, groups } from "@/pages/policy/table";
import { show } from "@/test/render";
import { policyWords } from "@/texts/settings";
import { matches } from "./matches";
import { readSearch, type SettingsSearch } from "./search";
import { SettingsForm } from "./SettingsForm";
import type { Value } from "./table";
import { worded } from "./words";

afterEach(() => notifications.clean()); // drafts stay in the window that all tests share

const table = worded(defaultsTable, policyWords);
const stored = (data: object): Answer<object> => ({ data, etag: '"v1"', filled: true });
const found = (typed: string) => table.filter((s) => matches(s, typed)).map((s) => s.name);

test.each([
  ["severity minimum", "minSeverity"],
  ["noise", "profile"],
  ["dependabot", "triggers.includeBots"],
  ["block merge", "check.failOn"],
  ["check.failOn", "check.failOn"],
  ["BUDGET", "check.unreviewed.budget"],
  ["AGENTS", "guidelineFiles"],
  ["look-ups", "finderLookups"],
  ["after an approval", "publishMode"],
])("%s finds %s", (typed, name) => expect(found(typed)).toContain(name));

test("words that do not occur together find nothing, and no words find everything", () => {
  expect(found("dependabot severity")).toEqual([]);
  expect(found(" – ")).toHaveLength(table.length);
});

test("an address has words and a switch, and no other value", () => {
  expect(readSearch({ q: " check ", changed: true, other: 1 })).toEqual({ q: "check", changed: true });
  expect(readSearch({ q: ["check"], changed: "1" })).toEqual({});
});

/** A page whose address is a state. */
function Shown({ at, locks, send, document }: { at: SettingsSearch; locks?: readonly string[]; send?: () => Promise<Answer<unknown>>; document: object }) {
  const [search, setSearch] = useState(at);
  return (
    <SettingsForm
      tenantId="ten_1"
      table={table}
      groups={groups}
      stored={stored(document)}
      send={send ?? (async () => stored({}))}
      read={async () => stored({})}
      saved={() => undefined}
      mayChange
      inherited={(name) => ({ value: (table.find((s) => s.name === name)?.builtIn ?? null) as Value, origin: "default" })}
      {...(locks ? { locks } : {})}
      view={{ search, change: (to) => setSearch((now) => readSearch({ ...now, ...to })) }}
    />
  );
}

const open = (at: SettingsSearch = {}, over: Partial<Parameters<typeof Shown>[0]> = {}) => show(<Shown at={at} document={{ minSeverity: "low" }} {...over} />);
const group = (name: RegExp) => screen.getByRole("button", { name });
const status = () => screen.getAllByRole("status").map((e) => e.textContent);

test("groups are closed, and say how many of their settings are set here", () => {
  open();
  expect(screen.queryByLabelText("Minimum severity")).toBeNull();
  const says = group(/^Content and form of reviews/);
  expect(says.textContent).toContain("1 of 6 set here");
  expect(says.getAttribute("aria-expanded")).toBe("false");
  fireEvent.click(says);
  expect(says.getAttribute("aria-expanded")).toBe("true");
  expect(document.getElementById(says.getAttribute("aria-controls")!)!.contains(screen.getByLabelText("Minimum severity"))).toBe(true);
});

test("a search opens the groups that it finds, and says how many settings it finds", () => {
  open();
  fireEvent.change(screen.getByRole("searchbox"), { target: { value: "noise" } });
  expect(screen.getByLabelText("Strictness")).toBeTruthy();
  expect(screen.queryByText("Reviewed files")).toBeNull();
  expect(status().some((s) => /^5 settings of \d+ found\.$/.test(s!))).toBe(true);
});

test("a search without a result says what to do", async () => {
  open({ q: "zebra" });
  fireEvent.click(screen.getByRole("button", { name: "Show all settings" }));
  await waitFor(() => expect(group(/^Reviewed files/)).toBeTruthy());
  expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("");
});

test("of changed settings, one that goes back to its default stays until it is saved", () => {
  open({ changed: true });
  fireEvent.click(screen.getByLabelText("Use the default: everything (Minimum severity)"));
  expect(screen.getByLabelText("Minimum severity")).toBeTruthy();
  expect(screen.queryByLabelText("Strictness")).toBeNull();
});

test("without a changed setting, the page says how to see the others", () => {
  open({ changed: true }, { document: {} });
  expect(screen.getByText(/^No setting is set here\./)).toBeTruthy();
  fireEvent.click(screen.getByRole("switch", { name: "Changed only" }));
  expect(group(/^Reviewed files/)).toBeTruthy();
});

test("a locked setting counts as changed", () => {
  open({ changed: true }, { document: { locked: ["paths.include"] }, locks: ["paths.include"] });
  expect(screen.getByLabelText("Included files")).toBeTruthy();
  expect(group(/^Reviewed files/).textContent).toContain("2 settings, 1 locked");
});

const refusing = async () => Promise.reject(new Problem({ status: 422, code: "invalid", detail: "", fields: [{ pointer: "/paths/include/0", message: "is no pattern" }] }));

test("a closed group opens if one of its settings is refused", async () => {
  open({}, { send: refusing });
  fireEvent.click(group(/^Reviewed files/));
  fireEvent.change(screen.getByLabelText("Included files"), { target: { value: "[" } });
  fireEvent.click(group(/^Reviewed files/));
  expect(screen.queryByLabelText("Included files")).toBeNull();
  fireEvent.click(screen.getByText("Review the changes"));
  fireEvent.click(await screen.findByText("Save"));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Included files")));
  fireEvent.click(group(/^Reviewed files/));
  expect(screen.queryByLabelText("Included files")).toBeNull(); // and it closes again
});

test("a refused setting is shown in its group, also if the search does not find it", async () => {
  open({ changed: true }, { send: refusing, document: { paths: { include: ["["] } } });
  fireEvent.change(screen.getByLabelText("Included files"), { target: { value: "[[" } });
  fireEvent.click(group(/^Reviewed files/));
  fireEvent.change(screen.getByRole("searchbox"), { target: { value: "severity" } });
  fireEvent.click(screen.getByText("Review the changes"));
  fireEvent.click(await screen.findByText("Save"));
  expect(await screen.findByText("Line 1: is no pattern.")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Included files")));
});
