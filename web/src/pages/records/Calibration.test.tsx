import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { calibration as texts } from "@/texts/calibration";
import { records } from "@/texts/records";
import { Calibration } from "./Calibration";

afterEach(() => vi.unstubAllGlobals());

const at = "/api/tenants/ten_1/repositories/rep_1/calibration";
const share = { share: 0.1, low: 0.06, high: 0.16 };
const bug = {
  id: "cal_1",
  category: "bug",
  taken: 15,
  refused: 133,
  ignored: 7,
  share,
  missing: 0,
  impliedThreshold: 0.95,
  threshold: 0.8,
  since: "2026-11-25T10:00:00Z",
  held: "week",
  buckets: [{ from: 0.7, to: 0.75, taken: 15, refused: 133, ignored: 7, share }],
  createdAt: "2026-11-25T10:00:00Z",
};

const show = (items: unknown[]) => {
  stubService({ [`GET ${at}`]: { items } });
  showPage(() => <Calibration tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/calibration", "/t/ten_1/repositories/rep_1/records/calibration");
};

test("a moved threshold stands with its counts, its interval, the implied one and the reason why it is not there yet", async () => {
  show([bug]);
  expect(await screen.findByText("10 % (6 % to 16 %)")).toBeTruthy();
  expect(screen.getByText("0.70 to 0.75: 15 accepted, 133 refused, 7 ignored; 10 % (6 % to 16 %)")).toBeTruthy();
  expect(screen.getByText("0.80")).toBeTruthy();
  expect(screen.getByText(texts.implied(0.95))).toBeTruthy();
  expect(screen.getByText(texts.held.week)).toBeTruthy();
});

test("too few outcomes say how many are missing, and a category without a threshold says so", async () => {
  const base = { ...bug, share: undefined, since: undefined, impliedThreshold: null, buckets: [], taken: 0, refused: 0 };
  show([
    { ...base, threshold: 0.7, missing: 49, held: "outcomes" },
    { ...base, id: "cal_2", category: "docs", threshold: null, held: "" },
  ]);
  expect(await screen.findByText("It moves after 49 more findings are accepted or refused.")).toBeTruthy();
  expect(screen.getByText(texts.without)).toBeTruthy();
  expect(screen.getAllByText(texts.unknown)).toHaveLength(2);
});

test("an empty list says how many findings are needed", async () => {
  show([]);
  expect(await screen.findByText(records.empty.calibration)).toBeTruthy();
  expect(records.empty.calibration).toContain("50");
});
