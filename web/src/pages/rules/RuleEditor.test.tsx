import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { rules } from "@/texts/rules";
import { RuleEditor } from "./RuleEditor";

afterEach(() => vi.unstubAllGlobals());

const texts = rules.form;
const at = "/api/tenants/ten_1/rules";
const place = { tenantId: "ten_1" };
const preview = {
  reviews: 1,
  files: [],
  filesFitting: 0,
  filesSeen: 0,
  filesAll: true,
  findings: [],
  findingsFitting: 0,
  findingsReplaced: 0,
  prompt: { tokens: 0, allTokens: 0, allRules: 0, maxTokens: 6000, maxRules: 40 },
  active: true,
  settings: [{ name: "rule", known: "unknown", why: "" }],
  dryRuns: [],
  matcher: { repositoryId: "rep_1", runId: "run_1", number: 7, headSha: "a", files: 2, hits: 3, reported: 1, places: [{ path: "a.go", line: 12, reported: true }] },
};
const wrong = () => new Response(JSON.stringify({ code: "invalid", detail: "Something is wrong.", errors: [{ pointer: "/matcher/pattern", message: "has a fault at character 3" }] }), { status: 422, headers: { "Content-Type": "application/problem+json" } });

test("a language that needs a missing ast-grep is refused at its field", async () => {
  const absent = () => new Response(JSON.stringify({ code: "invalid", detail: "Something is wrong.", errors: [{ pointer: "/matcher/language", message: "needs ast-grep" }] }), { status: 422, headers: { "Content-Type": "application/problem+json" } });
  stubService({ [`POST ${at}`]: absent, [`POST ${at}/preview`]: { ...preview, active: false, reason: "noProgram", matcher: { files: 0, hits: 0, places: [], note: "ast-grep did not run." } } });
  showPage(() => <RuleEditor place={place} rule={undefined} done={() => {}} close={() => {}} />, "/rules", "/t/ten_1/rules");
  fireEvent.change(await screen.findByLabelText(texts.title), { target: { value: "No prints" } });
  fireEvent.change(screen.getByLabelText(texts.instruction), { target: { value: "Use the logger." } });
  expect(screen.queryByLabelText(texts.language)).toBeNull();
  fireEvent.change(screen.getByLabelText(texts.matcher), { target: { value: "ast" } });
  const language = screen.getByLabelText(texts.language);
  fireEvent.change(language, { target: { value: "typescript" } });
  fireEvent.change(screen.getByLabelText(texts.pattern), { target: { value: "f($A)" } });
  fireEvent.click(screen.getByRole("button", { name: texts.make }));
  expect(await screen.findByText("Needs ast-grep.")).toBeTruthy();
  expect(language.getAttribute("aria-invalid")).toBe("true");
  expect(await screen.findByText("ast-grep did not run.")).toBeTruthy();
  expect(screen.getAllByText(new RegExp(rules.reason.noProgram)).length).toBeGreaterThan(0);
  fireEvent.change(language, { target: { value: "go" } });
  await waitFor(() => expect(screen.queryByText("Needs ast-grep.")).toBeNull());
});

test("a wrong pattern is shown at its field, and its places in the preview", async () => {
  const sent = stubService({ [`POST ${at}`]: wrong, [`POST ${at}/preview`]: preview });
  showPage(() => <RuleEditor place={place} rule={undefined} done={() => {}} close={() => {}} />, "/rules", "/t/ten_1/rules");
  fireEvent.change(await screen.findByLabelText(texts.title), { target: { value: "No prints" } });
  fireEvent.change(screen.getByLabelText(texts.instruction), { target: { value: "Use the logger." } });
  expect(screen.queryByLabelText(texts.pattern)).toBeNull();
  fireEvent.change(screen.getByLabelText(texts.matcher), { target: { value: "ast" } });
  fireEvent.change(screen.getByLabelText(texts.language), { target: { value: "python" } });
  const pattern = screen.getByLabelText(texts.pattern);
  fireEvent.change(pattern, { target: { value: "f($A)" } });
  fireEvent.click(screen.getByRole("button", { name: texts.make }));
  expect(await screen.findByText("Has a fault at character 3.")).toBeTruthy();
  expect(pattern.getAttribute("aria-invalid")).toBe("true");
  expect(await sent.find((r) => r.method === "POST" && r.url.endsWith(at))!.json()).toMatchObject({ matcher: { kind: "ast", pattern: "f($A)", language: "python" } });
  fireEvent.change(pattern, { target: { value: "f($A, $B)" } });
  await waitFor(() => expect(screen.queryByText("Has a fault at character 3.")).toBeNull());
  expect(await screen.findByText(rules.preview.matched(3, 1, 2))).toBeTruthy();
  expect(screen.getByText(rules.preview.noTokens)).toBeTruthy();
  expect(screen.getByText(rules.preview.reported)).toBeTruthy();
});
