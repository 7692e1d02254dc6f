import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { routing as texts, tierNames } from "@/texts/models";
import { RepositoryModels } from "./RepositoryModels";

afterEach(() => vi.unstubAllGlobals());

const path = "/api/tenants/ten_1/repositories/rep_1/llm-policy";
const access = { tenantId: "ten_1", role: "admin" as const, permissions: ["tenant:manage" as const], repositories: [], more: false };
const fast = { credentialId: "crd_1", model: "acme-1", reasoningEffort: "default" };
const panel = { credentialId: "crd_2", model: "other-1", reasoningEffort: "default" };
const policyOf = (own: object, effective: object) => ({
  own,
  effective,
  origins: { fast: "repository", standard: "tenant", strong: "tenant", panel: "repository", embeddings: "default", budget: "default", limits: "default", allowedRegions: "default", allowTools: "default" },
  notInEffect: [],
  selectableCredentialIds: ["crd_1", "crd_2"],
  version: 1,
});

function show(policy: object) {
  const sent = stubService({ [`GET ${path}`]: policy, [`PUT ${path}`]: policy, "GET /api/tenants/ten_1/llm-credentials": { items: [] } });
  showPage(() => <RepositoryModels tenantId="ten_1" repositoryId="rep_1" access={access} />, "/x", "/t/ten_1/x");
  return sent;
}

test("a panel that is kept away cannot be overridden", async () => {
  show(policyOf({ tiers: {}, allowPanel: false }, { tiers: {} }));
  const override = await screen.findByRole("button", { name: `${texts.override}: ${tierNames.panel}` });
  expect(override.hasAttribute("disabled")).toBe(true);
  expect(screen.getByRole("button", { name: `${texts.override}: ${tierNames.fast}` }).hasAttribute("disabled")).toBe(false);
});

test("keeping the panel away leaves out the repository's own panel, and no other tier", async () => {
  const sent = show(policyOf({ tiers: { fast, panel } }, { tiers: { fast, panel } }));
  fireEvent.click(await screen.findByRole("button", { name: `${texts.panelTake}: ${tierNames.panel}` }));
  await waitFor(() => expect(sent.filter((r) => r.method === "PUT")).toHaveLength(1));
  expect(await sent.find((r) => r.method === "PUT")?.json()).toEqual({ tiers: { fast }, allowPanel: false });
});
