import type { InstanceName } from "@/pages/instance/settingsTable";
import type { Words } from "./settings";

/** Texts of the page of the instance's settings. */
export const instanceSettings = {
  title: "Instance settings",
  telemetry: "Sending figures about this installation is not available yet:",
  says: "Settings for every tenant. Settings that are fixed by the configuration of the process are shown here and changed there.",
  fixed: "fixed by the configuration",
};

/** Texts of each setting of the instance. */
export const instanceWords: Readonly<Record<InstanceName, Words>> = {
  name: { label: "Name", help: "Name of this service on the sign-in page." },
  publicBaseUrl: { label: "Public address", help: "Address at which browsers and code hosts reach the service." },
  edition: { label: "Edition", help: "How the service is operated.", values: { "self-hosted": "self-hosted", hosted: "hosted for others", enterprise: "enterprise" } },
  installationPlacement: {
    label: "New installations",
    help: "Tenant of an installation of the app on an account without a tenant.",
    values: { appOwner: "the account that owns the app goes to the first tenant, others wait", manual: "every one waits", tenantPerAccount: "each account gets a tenant of its own" },
  },
  "session.idleMinutes": { label: "Minutes without a request", help: "A session ends after this time without a request." },
  "session.absoluteHours": { label: "Hours at most", help: "A session ends after this time in any case." },
  "retention.deliveryBodiesDays": { label: "Days that webhooks are kept", help: "How long the bodies of webhooks are kept; 0 keeps them for ever." },
  "retention.runsDays": { label: "Days that reviews are kept", help: "Ended runs of closed pull requests with their findings, and dry runs. Their costs are kept. 0 keeps everything." },
  "retention.auditBodiesDays": { label: "Days that details of the audit log are kept", help: "The erasable part of entries; the entries themselves are kept. 0 keeps everything." },
  pushServiceHosts: { label: "Push services", help: "Hosts that browsers' subscriptions may name; *.example.com is every host below.", empty: "none" },
  "airGap.allowHttp": { label: "Plain HTTP in the private network", help: "Addresses of hosts and models may begin with http://." },
  "airGap.allowedHosts": { label: "Hosts of the private network", help: "Hosts that assay can reach although they are in the private network.", empty: "none" },
  "airGap.allowedCidrs": { label: "Networks that may be reached", help: "Private networks that assay may reach.", empty: "none" },
};
