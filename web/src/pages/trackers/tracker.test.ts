import { expect, test } from "vitest";
import { createBody, enteredOf, newTracker, type Tracker, updateBody } from "./tracker";

const jira = { ...newTracker, name: "Board", baseUrl: "https://acme.atlassian.net", auth: { ...newTracker.auth, email: "ada@acme.example", token: "t" } };

test("sends the values that the kind of sign-in has", () => {
  expect(createBody(jira).auth).toEqual({ kind: "token", token: "t", email: "ada@acme.example" });
  expect(createBody({ ...jira, kind: "azure-boards" }).auth).toEqual({ kind: "token", token: "t" });
  expect(createBody({ ...jira, auth: { ...jira.auth, kind: "oauth", clientId: " c ", clientSecret: "s" } }).auth).toEqual({ kind: "oauth", clientId: "c", clientSecret: "s" });
  expect(createBody({ ...jira, kind: "linear" })).not.toHaveProperty("baseUrl");
});

test("sends the place of acceptance criteria, or no place", () => {
  const with_ = (kind: "none" | "field" | "heading") => createBody({ ...jira, mapping: { doneStates: "Done\nClosed", linkBack: "link", allowOnPublic: false, acceptanceCriteria: { kind, field: "customfield_1", heading: "Criteria" } } }).mapping;
  expect(with_("none")).toEqual({ doneStates: ["Done", "Closed"], linkBack: "link" });
  expect(with_("field").acceptanceCriteria).toEqual({ field: "customfield_1" });
  expect(with_("heading").acceptanceCriteria).toEqual({ heading: "Criteria" });
});

test("sends only changed values", () => {
  const stored = { kind: "jira", name: "Board", baseUrl: "https://acme.atlassian.net", auth: { kind: "token", email: "ada@acme.example" }, projects: ["PAY"], mapping: { doneStates: ["Done"], linkBack: "none", acceptanceCriteria: { heading: "Criteria" } }, enabled: true } as unknown as Tracker;
  const before = enteredOf(stored);
  expect(updateBody(before, before)).toEqual({});
  expect(updateBody(before, { ...before, projects: "PAY\nSHOP", webhookSecret: " 0123456789abcdef " })).toEqual({ projects: ["PAY", "SHOP"], webhookSecret: "0123456789abcdef" });
  expect(updateBody(before, { ...before, auth: { ...before.auth, token: "new" } })).toEqual({ auth: { kind: "token", token: "new", email: "ada@acme.example" } });
});
