import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { showPage, stubService } from "@/test/page";
import { modelList, routing as texts, tierNames } from "@/texts/models";
import { text } from "@/texts";
import { KeyModels } from "@/pages/modelkeys/KeyModels";
import { ModelsPage } from "./ModelsPage";

afterEach(() => vi.unstubAllGlobals());

const tenant = "/api/tenants/ten_1";
const of = `${tenant}/llm-credentials/crd_1`;
const price = { model: "acme-1", inputMicros: 250_000, outputMicros: 2_000_000 };
const refused = () => new Response(JSON.stringify({ code: "internal", status: 500, detail: "The provider was not asked.", requestId: "req_1" }), { status: 500, headers: { "Content-Type": "application/problem+json" } });

const answers = {
  [`GET ${tenant}/access`]: { role: "admin", permissions: ["tenant:manage"], repositories: [], more: false },
  [`GET ${tenant}/llm-policy`]: { tiers: {}, repositoryCredentialIds: [], version: 1 },
  [`GET ${tenant}/llm-credentials`]: { items: [{ id: "crd_1", name: "main", kind: "openai", usedBy: [], uses: 0 }] },
  "GET /api/llm-presets": {
    tiers: [
      { id: "fast", use: "Summaries" },
      { id: "standard", use: "Small changes" },
      { id: "strong", use: "Larger changes" },
    ],
    efforts: [{ id: "default", name: "provider default" }],
    vectorSizes: [1024],
    dataRegions: [],
    kinds: [],
  },
  [`GET ${tenant}/llm-prices`]: {
    version: 3,
    items: [price],
    embedded: { source: "models.dev", date: "2026-07-02", currency: "USD" },
    routed: [
      { use: "fast", kind: "openai", model: "acme-1", credentialId: "crd_1", price },
      { use: "strong", kind: "openai", model: "acme-2", credentialId: "crd_1", price: { ...price, model: "acme-2" } },
    ],
  },
  [`GET ${of}/models`]: { source: "provider", items: [{ id: "acme-1", displayName: "acme-1" }] },
};

test("prices that cannot be read are not missing prices: the page says so, and reads them again", async () => {
  let fails = true;
  stubService({ ...answers, [`GET ${of}/model-prices`]: () => (fails ? refused() : { items: [], proposed: { fast: "acme-1", standard: "acme-1", strong: "acme-1" } }) });
  showPage(ModelsPage, "/models", "/t/ten_1/models");
  expect(await screen.findByText(texts.pricesUnread(undefined))).toBeTruthy();
  expect(screen.queryByText(texts.propose)).toBeNull();
  expect(screen.queryByText(texts.noProposal)).toBeNull();
  fails = false;
  fireEvent.click(screen.getByText(text.trouble.again));
  expect(await screen.findByText(texts.propose)).toBeTruthy();
  expect(screen.queryByText(texts.pricesUnread(undefined))).toBeNull();
});

test("models that cannot be read are not missing models", async () => {
  stubService({ ...answers, [`GET ${of}/models`]: refused, [`GET ${of}/model-prices`]: { items: [] } });
  showPage(ModelsPage, "/models", "/t/ten_1/models");
  expect(await screen.findByText(texts.modelsUnread(undefined))).toBeTruthy();
  expect(screen.getByText(text.trouble.again)).toBeTruthy();
});

test("the list of a key's models does not call a price unknown that could not be read", async () => {
  stubService({ ...answers, [`GET ${of}/model-prices`]: refused });
  showPage(() => <KeyModels tenantId="ten_1" credentialId="crd_1" />, "/x", "/t/ten_1/x");
  expect(await screen.findByText(texts.pricesUnread(undefined))).toBeTruthy();
  expect(screen.getByText("acme-1")).toBeTruthy();
  expect(screen.queryByText(modelList.unknown)).toBeNull();
});

test("prices have their unit, and one that was entered is removed after a question", async () => {
  const sent = stubService({ ...answers, [`GET ${of}/model-prices`]: { items: [] }, [`PUT ${tenant}/llm-prices`]: answers[`GET ${tenant}/llm-prices`] });
  const puts = () => sent.filter((r) => r.method === "PUT");
  showPage(ModelsPage, "/models", "/t/ten_1/models");
  await screen.findByText(texts.entered);
  const table = within(screen.getByText(texts.entered).closest("table") as HTMLElement);
  for (const name of [texts.input, texts.output]) expect(table.getByRole("columnheader", { name: new RegExp(`^${name}`) }).textContent).toBe(`${name} ${texts.per}`);
  const sign = (says: string) => table.getByText(says).querySelector("svg")?.getAttribute("class");
  expect(sign(texts.entered)).not.toBe(sign(texts.known));
  for (const says of [texts.entered, texts.known]) expect(sign(says)).not.toContain("circle-dashed"); // the sign of unfinished work
  fireEvent.click(table.getByText(texts.dropPrice));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText(texts.dropSays)).toBeTruthy();
  expect(puts()).toEqual([]);
  fireEvent.click(dialog.getByText(texts.dropPrice));
  await waitFor(() => expect(puts()).toHaveLength(1));
  expect(await puts()[0]?.json()).toEqual({ items: [] });
});

test("one model serves every tier after one field and one click, and the only key is chosen already", async () => {
  const sent = stubService({ ...answers, [`GET ${of}/model-prices`]: { items: [] }, [`PUT ${tenant}/llm-policy`]: answers[`GET ${tenant}/llm-policy`] });
  showPage(ModelsPage, "/models", "/t/ten_1/models");
  const use = await screen.findByRole<HTMLButtonElement>("button", { name: texts.useOne });
  expect(use.disabled).toBe(true);
  fireEvent.change(screen.getByLabelText(texts.oneModel, { selector: "input" }), { target: { value: "acme-1 " } });
  fireEvent.click(use);
  const put = () => sent.filter((r) => r.method === "PUT")[0];
  await waitFor(() => expect(put()).toBeTruthy());
  const one = { credentialId: "crd_1", model: "acme-1" };
  expect(await put()?.json()).toEqual({ tiers: { fast: one, standard: one, strong: one }, repositoryCredentialIds: [] });
});

test("a tenant with several keys chooses one for its model", async () => {
  const keys = { items: ["crd_1", "crd_2"].map((id) => ({ id, name: id, kind: "openai", usedBy: [], uses: 0 })) };
  stubService({ ...answers, [`GET ${tenant}/llm-credentials`]: keys, [`GET ${of}/model-prices`]: { items: [] } });
  showPage(ModelsPage, "/models", "/t/ten_1/models");
  const model = await screen.findByLabelText<HTMLInputElement>(texts.oneModel, { selector: "input" });
  expect(model.disabled).toBe(true);
  fireEvent.change(screen.getByLabelText(texts.oneKey), { target: { value: "crd_1" } });
  await waitFor(() => expect(model.disabled).toBe(false));
});

const routed = (model: string) => ({ credentialId: "crd_1", model, reasoningEffort: "default" });
const three = { fast: routed("acme-1"), standard: routed("acme-1"), strong: routed("acme-1") };

test("a panel without key and model cannot be saved, and the page says what is missing", async () => {
  stubService({ ...answers, [`GET ${tenant}/llm-policy`]: { tiers: three, repositoryCredentialIds: [], version: 1 }, [`GET ${of}/model-prices`]: { items: [] } });
  showPage(ModelsPage, "/models", "/t/ten_1/models");
  const save = () => screen.getByRole<HTMLButtonElement>("button", { name: text.form.save });
  fireEvent.click(await screen.findByLabelText(texts.usePanel));
  expect(screen.getByText("Missing before you can save: the model key of Panel, the model of Panel.")).toBeTruthy();
  expect(save().disabled).toBe(true);
  fireEvent.change(screen.getByLabelText(texts.panelKey), { target: { value: "crd_1" } });
  fireEvent.change(screen.getByLabelText(texts.panelModel, { selector: "input" }), { target: { value: "other" } });
  await waitFor(() => expect(save().disabled).toBe(false));
  expect(screen.queryByText(/^Missing before/)).toBeNull();
});

test.each([[true], [false]])("a member sees whether a panel gets the code: %s", async (set) => {
  const tiers = set ? { ...three, panel: routed("acme-2") } : three;
  stubService({ [`GET ${tenant}/access`]: { role: "member", permissions: [], repositories: [], more: false }, [`GET ${tenant}/llm-policy`]: { tiers, repositoryCredentialIds: [], version: 1 } });
  showPage(ModelsPage, "/models", "/t/ten_1/models");
  expect(await screen.findByText(texts.readOnly)).toBeTruthy();
  expect(screen.queryByText("acme-2") !== null).toBe(set);
  expect(screen.queryByText(tierNames.panel) !== null).toBe(set);
});
