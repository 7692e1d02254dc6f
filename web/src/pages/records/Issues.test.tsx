import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { records as texts } from "@/texts/records";
import { Issues } from "./Issues";

afterEach(() => vi.unstubAllGlobals());

test("an issue shows why it could not be read, and why an edit of its criteria was not judged", async () => {
  const issue = { number: 7, tracker: "jira", keyOnly: false, title: "Pages", url: "https://jira.example.org/browse/SHOP-1", type: "Story", state: "Open", done: false, readAt: "2026-11-25T10:00:00Z", foundIn: "title", createdAt: "2026-11-25T10:00:00Z" };
  stubService({
    "GET /api/tenants/ten_1/access": { permissions: [], repositories: [] },
    "GET /api/tenants/ten_1/repositories/rep_1/tracker-links": {
      items: [
        { ...issue, id: "tlk_1", issueKey: "SHOP-1", recheck: "The budget is used up." },
        { ...issue, id: "tlk_2", issueKey: "SHOP-2", unread: "The tracker did not answer." },
      ],
    },
  });
  showPage(() => <Issues tenantId="ten_1" repositoryId="rep_1" />, "/repositories/$repositoryId/tracker-links", "/t/ten_1/repositories/rep_1/tracker-links");
  expect(await screen.findByText(texts.recheck("The budget is used up."))).toBeTruthy();
  expect(screen.getByText("The tracker did not answer.")).toBeTruthy();
});
