import { expect, test } from "vitest";
import * as apps from "./apps";
import { changed } from "./InstanceSettingsPage";
import * as providers from "./providers";
import type { Schemas } from "@/api/queries";

test("enters an app, and sends only changed values", () => {
  const entered = { ...apps.newApp, appId: 7, clientId: " c ", privateKey: "k", webhookSecret: "w", clientSecret: "s" };
  expect(apps.createBody(entered)).toEqual({ appId: 7, clientId: "c", privateKey: "k", webhookSecret: "w", clientSecret: "s" });
  const before = { ...apps.newApp, baseUrl: "https://github.com", appId: 7, clientId: "c", slug: "assay" };
  expect(apps.updateBody(before, before)).toEqual({});
  expect(apps.updateBody(before, { ...before, appId: 8, nextWebhookSecret: " next " })).toEqual({ appId: 8, nextWebhookSecret: "next" });
});

test("enters an identity provider, and sends only changed values", () => {
  expect(providers.createBody({ ...providers.newProvider, slug: "acme", all: false, tenants: "ten_1\nten_2" })).toMatchObject({ slug: "acme", tenants: ["ten_1", "ten_2"] });
  const before = { ...providers.newProvider, slug: "acme", hostUserId: { host: "https://git.example" } };
  expect(providers.updateBody(before, before)).toEqual({});
  expect(providers.updateBody(before, { ...before, hostUserId: { host: "" }, enabled: false, all: false, tenants: "ten_1" })).toEqual({ hostUserId: null, enabled: false, tenants: ["ten_1"] });
});

test("sends only changed settings of the instance, so that no others are stored", () => {
  const stored = { name: "assay", session: { idleMinutes: 60, absoluteHours: 8 }, pushServiceHosts: ["a.example"] } as unknown as Schemas["InstanceSettings"];
  expect(changed(stored, { name: "assay", session: { idleMinutes: 30, absoluteHours: 8 }, pushServiceHosts: [] })).toEqual({ session: { idleMinutes: 30 }, pushServiceHosts: [] });
});
