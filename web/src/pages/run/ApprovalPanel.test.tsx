import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Problem } from "@/api/problem";
import { show } from "@/test/render";
import { ApprovalPanel } from "./ApprovalPanel";
import { sampleApproval } from "@/test/run";

const waits = sampleApproval();
const first = waits.findings[0]!;
const second = waits.findings[1]!;

test("an approval has the shown digest, the omitted findings and the rewordings", () => {
  const decide = vi.fn();
  show(<ApprovalPanel approval={waits} decide={decide} busy={false} refused={undefined} />);
  fireEvent.click(screen.getByLabelText(`Exclude: ${first.title}`));
  fireEvent.click(screen.getByLabelText(`Edit: ${second.title}`));
  fireEvent.change(screen.getByLabelText("Title"), { target: { value: "Read line 3" } });
  fireEvent.change(screen.getByLabelText("Note"), { target: { value: "The first is known" } });
  expect(screen.getByText("1 finding excluded, 1 finding edited")).toBeTruthy();
  fireEvent.submit(screen.getByText("Approve and publish").closest("form")!);
  expect(decide).toHaveBeenCalledExactlyOnceWith("approve", { digest: waits.digest, note: "The first is known", drop: [first.id], edit: [{ findingId: second.id, title: "Read line 3" }] });
});

test("empty words are not sent", () => {
  const decide = vi.fn();
  show(<ApprovalPanel approval={waits} decide={decide} busy={false} refused={undefined} />);
  fireEvent.click(screen.getByLabelText(`Edit: ${second.title}`));
  fireEvent.change(screen.getByLabelText("Explanation"), { target: { value: " " } });
  expect(screen.getByText("Explanation cannot be empty.")).toBeTruthy();
  expect(screen.getByText("Approve and publish").closest("button")?.disabled).toBe(true);
  expect(decide).not.toHaveBeenCalled();
});

test("rejecting needs a confirmation", async () => {
  const decide = vi.fn();
  show(<ApprovalPanel approval={waits} decide={decide} busy={false} refused={undefined} />);
  fireEvent.click(screen.getByText("Reject"));
  await screen.findByText("Reject this review?");
  expect(decide).not.toHaveBeenCalled();
  const asked = screen.getByText(/Nothing of this review is published/).closest("section")!;
  fireEvent.click([...asked.querySelectorAll("button")].find((b) => b.textContent === "Reject")!);
  await waitFor(() => expect(decide).toHaveBeenCalledExactlyOnceWith("reject", { digest: waits.digest }));
});

test("a person who may not decide sees the text and the reason, and no form", async () => {
  show(<ApprovalPanel approval={sampleApproval({ mayDecide: false, whyNot: "Somebody who may review decides." })} decide={vi.fn()} busy={false} refused={undefined} />);
  expect(screen.getByText("Somebody who may review decides.")).toBeTruthy();
  expect(await screen.findByText("Two findings.")).toBeTruthy();
  expect(screen.queryByText("Approve and publish")).toBeNull();
});

test("a person who was too late sees who has decided", () => {
  const refused = new Problem({ status: 409, code: "approval_decided", detail: "ada approved this review at noon." });
  show(<ApprovalPanel approval={waits} decide={vi.fn()} busy={false} refused={refused} />);
  expect(screen.getByRole("alert").textContent).toContain("ada approved this review at noon.");
});

test("a finding has its comment as readers will see it, until it is excluded, and raw text by the switch", async () => {
  const review = { ...waits.review, comments: [{ findingId: first.id, side: "RIGHT", path: "pay.go", line: 3, startLine: 0, body: "**Sent twice** by `Pay`." }, { findingId: "", side: "RIGHT", path: "other.go", line: 9, startLine: 7, body: "Elsewhere" }] };
  show(<ApprovalPanel approval={sampleApproval({ review })} decide={vi.fn()} busy={false} refused={undefined} />);
  const card = () => screen.getByLabelText(`Exclude: ${first.title}`).closest("article")!;
  await waitFor(() => expect(card().querySelector("strong")?.textContent).toBe("Sent twice"));
  expect(screen.getByText("other.go:7–9")).toBeTruthy();
  fireEvent.click(screen.getByLabelText("Show raw Markdown"));
  expect(card().querySelector("pre")?.textContent).toBe("**Sent twice** by `Pay`.");
  fireEvent.click(screen.getByLabelText(`Exclude: ${first.title}`));
  expect(card().textContent).toContain("This finding will not be published.");
  expect(card().querySelector("pre")).toBeNull();
});
