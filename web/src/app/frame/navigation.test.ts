import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { notFilled } from "@/pages/records/lists";
import { notAvailable } from "@/texts/notavailable";
import { isFound } from "@/ui/isFound";
import { navigationFor, pagesOf, sectionAt, tabsAt, type Viewer } from "./navigation";

const admin: Viewer = { tenantId: "ten_1", access: { permissions: ["tenant:manage"], repositories: [], more: false } as never, instanceAdmin: true };
const everything = navigationFor(admin);

test("the menu has at most eight lines", () => {
  expect(everything.pages.length + everything.sections.length).toBeLessThanOrEqual(8);
});

test("pages that stand together are told apart by their signs, and all by their keys", () => {
  const lists = [[...everything.pages, ...everything.sections], ...everything.sections.map((s) => s.groups.flatMap((g) => g.entries))];
  for (const list of lists) {
    const icons = list.map((e) => e.icon);
    expect(new Set(icons).size, list.map((e) => e.label).join()).toBe(icons.length);
  }
  const keys = pagesOf(everything).flatMap((e) => e.key ?? []);
  expect(new Set(keys).size).toBe(keys.length);
});

test("a person who manages nothing has no settings of the tenant that need that, and no instance", () => {
  const menu = navigationFor({ tenantId: "ten_1", access: { permissions: ["repo:view"], repositories: [], more: false } as never, instanceAdmin: false });
  const labels = pagesOf(menu).map((e) => e.to);
  expect(labels).toContain("/t/$tenantId/me");
  for (const path of ["/t/$tenantId/members", "/t/$tenantId/costs", "/instance/health"]) expect(labels).not.toContain(path);
  expect(menu.sections.length).toBe(1);
});

test("a person without a tenant has the instance alone", () => {
  const menu = navigationFor({ tenantId: "", access: undefined, instanceAdmin: true });
  expect(menu.pages).toEqual([]);
  expect(menu.sections.length).toBe(1);
});

test("a section is open on each of its pages, and on no other", () => {
  for (const section of everything.sections)
    for (const entry of section.groups.flatMap((g) => g.entries)) expect(sectionAt(everything, "ten_1", entry.to.replace("$tenantId", "ten_1"))).toBe(section);
  expect(sectionAt(everything, "ten_1", "/t/ten_1/inbox")).toBeUndefined();
});

test("pages that share a line are tabs of each other", () => {
  const tabs = tabsAt(everything, "ten_1", "/t/ten_1/approvals").map((e) => e.to);
  expect(tabs).toEqual(["/t/$tenantId/runs", "/t/$tenantId/approvals", "/t/$tenantId/dry-runs"]);
  expect(tabsAt(everything, "ten_1", "/t/ten_1/findings")).toEqual([]);
  expect(tabsAt(everything, "ten_1", "/t/ten_1/repositories/rep_1")).toEqual([]);
});

test.each([["budget", "/t/$tenantId/costs"], ["slack", "/t/$tenantId/notifications"], ["webhooks", "/instance/deliveries"], ["api tok", "/t/$tenantId/mcp-access"], ["Invite", "/t/$tenantId/members"]])("%s finds %s", (typed, path) => {
  expect(pagesOf(everything).filter((e) => isFound(e, typed)).map((e) => e.to)).toContain(path);
}); // prettier-ignore

test("what does not stand anywhere finds nothing", () => expect(pagesOf(everything).some((e) => isFound(e, "zebra"))).toBe(false));

test("lists that nothing fills are named on the page of what is not available, and those alone", () => {
  const described = JSON.parse(readFileSync("../api/openapi.json", "utf8")) as { paths: Record<string, { get?: { "x-filled"?: boolean } }> };
  const unfilled = Object.entries(described.paths).flatMap(([path, item]) => (item.get?.["x-filled"] === false ? [path.split("{repositoryId}/")[1]?.replaceAll("/", "-")] : []));
  expect([...notFilled].sort()).toEqual([...unfilled].sort());
  expect(Object.keys(notAvailable.lists).sort()).toEqual([...notFilled].sort());
});
