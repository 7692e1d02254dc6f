import type { InstanceName } from "@/pages/instance/settingsTable";
import type { Words } from "./settings";

/** What the page of the instance's settings says. */
export const instanceSettings = {
  title: "Settings of the instance",
  says: "Settings for every tenant. Settings that the configuration of the process fixes are shown here, and changed there.",
  fixed: "fixed by the configuration",
};

/** What is said of each setting of the instance. */
export const instanceWords: Readonly<Record<InstanceName, Words>> = {
  name: { label: "Name", help: "Name of this service on the sign-in page." },
  publicBaseUrl: { label: "Public address", help: "Under which browsers and code hosts reach the service." },
  edition: { label: "Edition", help: "How the service is run.", values: { "self-hosted": "self-hosted", hosted: "hosted for others", enterprise: "enterprise" } },
  installationPlacement: {
    label: "New installations",
    help: "Where an installation of the app goes on an account that no tenant has placed yet.",
    values: { appOwner: "the account that owns the app goes to the first tenant, others wait", manual: "every one waits", tenantPerAccount: "each account gets a tenant of its own" },
  },
  "session.idleMinutes": { label: "Minutes without a request", help: "After so long without one, a session ends." },
  "session.absoluteHours": { label: "Hours at most", help: "After so long a session ends in any case." },
  "retention.deliveryBodiesDays": { label: "Days that webhooks are kept", help: "Their bodies; 0 keeps them." },
  "retention.runsDays": { label: "Days that reviews are kept", help: "Ended runs of closed pull requests with their findings, and dry runs. Their cost stays. 0 keeps them." },
  "retention.auditBodiesDays": { label: "Days that details of the audit log are kept", help: "The erasable part of its entries; the entries stay. 0 keeps them." },
  pushServiceHosts: { label: "Push services", help: "Hosts that browsers' subscriptions may name; *.example.com is every host below.", empty: "none" },
  "airGap.allowHttp": { label: "Plain HTTP in the private network", help: "Addresses of hosts and models may begin with http://." },
  "airGap.allowedHosts": { label: "Hosts of the private network", help: "Hosts that assay can reach although they are in the private network.", empty: "none" },
  "airGap.allowedCidrs": { label: "Networks that may be reached", help: "Although they are private.", empty: "none" },
};
