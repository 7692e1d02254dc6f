import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { modelTest as texts, routing } from "@/texts/models";
import type { Key } from "./keys";
import { KeyTest } from "./KeyTest";

afterEach(() => vi.unstubAllGlobals());

const tenant = "/api/tenants/ten_1";
const key = { id: "crd_1", name: "main", kind: "openai", endpoint: "https://models.example.com/v1", usedBy: [], uses: 0 } as unknown as Key;
const presets = { kinds: [{ id: "openai", embeddings: false }], efforts: [{ id: "default", name: "default" }], vectorSizes: [1024] } as never;
const tier = { credentialId: "crd_1", model: "acme-2" };
const check = (ok: boolean) => ({ checks: [{ name: "key", ok, message: "" }] });

function open(tiers: object, ok = true, put: () => unknown = () => ({})) {
  const sent = stubService({
    [`GET ${tenant}/llm-policy`]: { tiers, repositoryCredentialIds: [], budget: { monthlyMicros: 5, mode: "soft" }, version: 3 },
    [`GET ${tenant}/llm-credentials/crd_1/models`]: { source: "provider", items: [{ id: "acme-1", displayName: "" }] },
    [`GET ${tenant}/llm-credentials/crd_1/model-prices`]: { items: [{ id: "acme-2", price: { inputMicros: 1_000_000, outputMicros: 2_000_000 } }], proposed: { fast: "acme-1", standard: "acme-2", strong: "acme-3" } },
    [`POST ${tenant}/llm-credentials/crd_1/test`]: check(ok),
    [`PUT ${tenant}/llm-policy`]: put,
  });
  showPage(() => <KeyTest tenantId="ten_1" presets={presets} stored={key} done={() => undefined} />, "/model-keys", "/t/ten_1/model-keys");
  return sent.filter.bind(sent, (r: Request) => r.method === "PUT") as () => Request[];
}

const run = async (model: string) => {
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>("combobox", { name: /^Model/ }).value).toBe(model));
  fireEvent.click(screen.getByRole("button", { name: texts.run }));
};

test("a model that works is used for all tiers of a tenant without tiers, which keeps its budget", async () => {
  const puts = open({});
  expect(await screen.findByText(texts.useForAllSays(key.endpoint, texts.priceIs(routing.price("$1.00", "$2.00"))))).toBeTruthy();
  await run("acme-2");
  expect(await screen.findByText(routing.usesOne("acme-2"))).toBeTruthy();
  expect(await puts()[0]?.json()).toEqual({ tiers: { fast: tier, standard: tier, strong: tier }, repositoryCredentialIds: [], budget: { monthlyMicros: 5, mode: "soft" } });
  expect(puts()[0]?.headers.get("If-Match")).toBe('"v3"');
  expect(screen.getByRole<HTMLInputElement>("combobox", { name: /^Model/ }).value).toBe("acme-2");
});

test("a person who unticks it only tests the key", async () => {
  const puts = open({});
  fireEvent.click(await screen.findByLabelText(texts.useForAll));
  await run("acme-2");
  expect(await screen.findByText(texts.good)).toBeTruthy();
  expect(puts()).toEqual([]);
});

test("a model that does not work is used for no tier", async () => {
  const puts = open({}, false);
  await screen.findByLabelText(texts.useForAll);
  await run("acme-2");
  expect(await screen.findByText(texts.bad)).toBeTruthy();
  expect(puts()).toEqual([]);
});

test("a tenant with tiers is not offered one model for all of them", async () => {
  const puts = open({ fast: tier, standard: tier, strong: tier });
  await run("acme-1");
  expect(await screen.findByText(texts.good)).toBeTruthy();
  expect(screen.queryByLabelText(texts.useForAll)).toBeNull();
  expect(puts()).toEqual([]);
});

test("a refusal of the policy is shown below the result of the test", async () => {
  open({}, true, () => new Response(JSON.stringify({ code: "precondition_failed", status: 412, detail: "Another person changed it." }), { status: 412, headers: { "Content-Type": "application/problem+json" } }));
  await screen.findByLabelText(texts.useForAll);
  await run("acme-2");
  expect(await screen.findByText(/Another person changed it/)).toBeTruthy();
  expect(screen.getByText(texts.good)).toBeTruthy();
});
