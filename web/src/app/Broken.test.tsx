import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { show } from "@/test/render";
import { text } from "@/texts";
import { report } from "@/ui/Trouble";
import { Broken } from "./Broken";

const refused = new Problem({ status: 500, code: "internal", detail: "An internal error.", requestId: "req_1" });

test("a page that has broken says so, and offers a report", () => {
  show(<Broken error={new Error("x is not a function")} />);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(text.trouble.broken);
  expect(screen.getByText(text.trouble.copy)).toBeTruthy();
});

test.each(["Failed to fetch dynamically imported module: /assets/console/x.js", "error loading dynamically imported module", "Importing a module script failed."])("a piece that is gone says that the console was updated: %s", (message) => {
  show(<Broken error={new Error(message)} />);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(text.trouble.newVersion);
  expect(screen.queryByText(text.trouble.copy)).toBeNull();
  expect(document.title).toBe(`${text.trouble.newVersion} · ${text.app}`);
});

test("a refusal keeps its request, and a missing page says only that", () => {
  show(<Broken error={refused} />);
  expect(screen.getByText("req_1")).toBeTruthy();
  show(<Broken error={new Problem({ status: 404, code: "not_found", detail: "Not found." })} />);
  expect(screen.getByText(text.trouble.pageAbsent, { selector: "h1" })).toBeTruthy();
});

test("a report identifies the request, and has no entered values", () => {
  const lines = report(new Problem({ status: 422, code: "invalid", detail: "Some fields are wrong.", requestId: "req_2", fields: [{ pointer: "/token", message: "secret-value is wrong" }] }), "/t/ten_1/rules").split("\n");
  expect(lines.slice(0, 5)).toEqual(["assay problem report", "page: /t/ten_1/rules", "problem: invalid (422)", "said: Some fields are wrong.", "request: req_2"]);
  expect(lines.join(" ")).not.toContain("secret-value");
});
