import { expect, test } from "vitest";
import { shownTo } from "./navigation";

const everything = shownTo({ tenantId: "ten_1", access: { permissions: ["tenant:manage"], repositories: [], more: false } as never, instanceAdmin: true });

test("pages of one group are told apart by their signs and by their keys", () => {
  for (const group of everything) {
    const icons = group.entries.map((e) => e.icon);
    expect(new Set(icons).size, group.label).toBe(icons.length);
  }
  const keys = everything.flatMap((g) => g.entries.flatMap((e) => e.key ?? []));
  expect(new Set(keys).size).toBe(keys.length);
});
