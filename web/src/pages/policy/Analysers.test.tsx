import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { configuredAnalysers as texts } from "@/texts/configuredAnalysers";
import { Analysers } from "./Analysers";

afterEach(() => vi.unstubAllGlobals());

const show = (...named: string[]) => showPage(() => <Analysers named={named} />, "/defaults", "/t/ten_1/defaults");

test("each configured analyser has its name, program, version and files", async () => {
  stubService({ "GET /api/analysers": { items: [{ name: "our-lint", program: "lint", version: "1.2", languages: ["Go"], paths: ["**/*.tmpl"] }] } });
  show();
  expect(await screen.findByText("our-lint")).toBeTruthy();
  expect(screen.getByText(/lint 1\.2, for Go, \*\*\/\*\.tmpl/)).toBeTruthy();
});

test("without analysers the page names the setting of the operator", async () => {
  stubService({ "GET /api/analysers": { items: [] } });
  show();
  expect(await screen.findByText(texts.none)).toBeTruthy();
  expect(texts.none).toContain("ASSAY_ANALYSERS_PROGRAMS");
});

test("names of the setting that no analyser has are named", async () => {
  stubService({ "GET /api/analysers": { items: [{ name: "our-lint", program: "lint", version: "", languages: ["Go"], paths: [] }] } });
  show("our-lint", "gone-lint");
  expect(await screen.findByText(texts.absent(["gone-lint"]))).toBeTruthy();
});

test("nothing is missing if the list cannot be read", async () => {
  stubService({});
  show("our-lint");
  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(screen.queryByText(texts.absent(["our-lint"]))).toBeNull();
});
