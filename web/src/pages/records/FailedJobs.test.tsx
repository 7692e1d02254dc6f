import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { text } from "@/texts";
import { failedJobs as texts } from "@/texts/failedJobs";
import { records } from "@/texts/records";
import { FailedJobs } from "./FailedJobs";

afterEach(() => vi.unstubAllGlobals());

test("the filters of failed jobs stand in the address and reach the service, and an empty answer to them says so", async () => {
  const sent = stubService({ "GET /api/tenants/ten_1/repositories/rep_1/ci-analyses": { items: [] } });
  const last = () => new URL(sent.filter((r) => r.url.includes("/ci-analyses")).at(-1)?.url ?? "http://none").search;
  const { router } = showPage(() => <FailedJobs tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/records/ci-analyses", "/t/ten_1/repositories/rep_1/records/ci-analyses?state=failed&relation=nonsense");
  expect(await screen.findByText(texts.noneOfFilter)).toBeTruthy();
  fireEvent.change(screen.getByLabelText(texts.relation), { target: { value: "caused" } });
  await waitFor(() => expect(last()).toBe("?state=failed&relation=caused"));
  fireEvent.change(screen.getByLabelText(texts.repeats), { target: { value: "true" } });
  const number = screen.getByLabelText(text.runs.number);
  fireEvent.change(number, { target: { value: "#7" } });
  fireEvent.blur(number);
  await waitFor(() => expect(last()).toBe("?state=failed&relation=caused&flaky=true&pullRequest=7"));
  expect(router.state.location.searchStr).toBe("?state=failed&relation=caused&flaky=true&number=7");
  for (const label of [records.state, texts.relation, texts.repeats]) fireEvent.change(screen.getByLabelText(label), { target: { value: "" } });
  fireEvent.change(number, { target: { value: "" } });
  fireEvent.blur(number);
  expect(await screen.findByText(records.empty["ci-analyses"])).toBeTruthy();
});
