import { expect, test } from "vitest";
import { chosen, createBody, type Entered, newConnection, placeOf, updateBody } from "./kinds";

const entered: Entered = { ...newConnection, name: " Pay ", owner: "acme", token: " t-o-k-e-n ", repositories: "api\n\n web , docs", all: false };

test("reads names of repositories from lines", () => {
  expect(chosen(entered)).toEqual(["api", "web", "docs"]);
  expect(chosen({ ...entered, all: true })).toBe("all");
});

test("leaves empty values out of a new connection", () => {
  expect(createBody(entered)).toEqual({ kind: "gitlab", name: "Pay", owner: "acme", token: "t-o-k-e-n", repositories: ["api", "web", "docs"], registerWebhooks: true });
  expect(createBody({ ...entered, baseUrl: "https://git.example" })).toMatchObject({ baseUrl: "https://git.example" });
});

test("names the account of a token to Bitbucket Cloud alone", () => {
  const v: Entered = { ...entered, kind: "bitbucket-cloud", username: " ann@example.org " };
  expect(createBody(v)).toMatchObject({ kind: "bitbucket-cloud", username: "ann@example.org" });
  expect(createBody({ ...v, kind: "gitea" })).not.toHaveProperty("username");
  const before: Entered = { ...v, name: "Pay", username: "ann@example.org", token: "" };
  expect(updateBody(before, { ...before, username: "" })).toEqual({ username: null });
});

test("sends only changed values", () => {
  const before: Entered = { ...newConnection, name: "Pay", baseUrl: "https://gitlab.com", owner: "acme" };
  expect(updateBody(before, before)).toEqual({});
  expect(updateBody(before, { ...before, baseUrl: "" })).toEqual({}); // an address can be changed, not taken away
  expect(updateBody(before, { ...before, all: false, repositories: "api" })).toEqual({ repositories: ["api"] });
  expect(updateBody(before, { ...before, owner: "other", token: "t-o-k-e-n" })).toEqual({ owner: "other", token: "t-o-k-e-n" });
});

test.each([
  ["gitea", "https://git.example.com/acme", "", "https://git.example.com", "acme"],
  ["gitea", "https://git.example.com:3000/acme/", "", "https://git.example.com:3000", "acme"],
  ["forgejo", "https://git.example.com/sub/acme", "", "https://git.example.com/sub/acme", ""],
  ["gitea", "https://git.example.com/acme", "other", "https://git.example.com/acme", "other"],
  ["gitea", "https://git.example.com/?q=acme", "", "https://git.example.com/?q=acme", ""],
  ["gitea", "git.example.com/acme", "", "git.example.com/acme", ""],
  ["gitlab", "https://gitlab.com/groups/acme/payments/-/settings", "", "https://gitlab.com", "acme/payments"],
  ["gitlab", "https://gitlab.com", "", "https://gitlab.com", ""],
  ["bitbucket-cloud", "https://bitbucket.org/acme/", "", "https://bitbucket.org", "acme"],
] as const)("a connection to %s at %s with the owner %j goes to %s and %j", (kind, baseUrl, owner, host, taken) => {
  expect(placeOf({ kind, baseUrl, owner })).toEqual({ baseUrl: host, owner: taken });
});
