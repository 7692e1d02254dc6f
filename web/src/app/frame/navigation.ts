import {
  IconAdjustments, IconApi, IconApps, IconBell, IconBroadcast, IconBug, IconBuilding, IconChecklist, IconChecks, IconCoin, IconCpu, IconFlask, IconFolder, IconFolderPlus, IconGavel, IconHeartbeat,
  IconHistory, IconHome, IconId, IconInbox, IconKey, IconListCheck, IconListSearch, IconMailbox, IconPlug, IconServerCog, IconSettings, IconSettingsCog, IconSignature, IconSkull, IconTemplate, IconTestPipe,
  IconTicket, IconTool, IconUsers, type Icon,
} from "@tabler/icons-react"; // prettier-ignore
import type { RegisteredRouter } from "@tanstack/react-router";
import { manages, type Schemas } from "@/api/queries";
import { text } from "@/texts";

type Path = Exclude<keyof RegisteredRouter["routesByPath"], `${string}/`>;

/** The pages that need no more than a tenant, or nothing: what can stand in the navigation. */
export type PagePath = Exclude<Extract<Path, `/t/$tenantId${string}` | `/instance/${string}`>, `/t/$tenantId/${string}$${string}` | `/instance/${string}$${string}`>;

/** Who looks, and where: the tenant ("": none), what the person may do there, once that is known, and whether the instance is theirs to manage. */
export interface Viewer {
  tenantId: string;
  access: Schemas["Access"] | undefined;
  instanceAdmin: boolean;
}

/** A page in the navigation. key is its shortcut after "g"; pages that are opened seldom have none. */
export interface Entry {
  to: PagePath;
  label: string;
  icon: Icon;
  key?: string;
  /** Who sees it; everybody where this is absent. */
  shown?: (viewer: Viewer) => boolean;
}

/** Pages that belong together, with the heading above them; the first group has none. */
export interface Group {
  label: string;
  entries: readonly Entry[];
}

const managesHere = (v: Viewer) => v.access !== undefined && manages(v.access);
const managesInstance = (v: Viewer) => v.instanceAdmin;

const groups: readonly Group[] = [
  {
    label: "",
    entries: [
      { to: "/t/$tenantId", label: text.frame.overview, icon: IconHome, key: "o" },
      { to: "/t/$tenantId/inbox", label: text.frame.inbox, icon: IconInbox, key: "i" },
      { to: "/t/$tenantId/runs", label: text.frame.runs, icon: IconListCheck, key: "r" },
      { to: "/t/$tenantId/approvals", label: text.frame.approvals, icon: IconChecks, key: "a" },
      { to: "/t/$tenantId/findings", label: text.frame.findings, icon: IconBug, key: "f" },
      { to: "/t/$tenantId/repositories", label: text.frame.repositories, icon: IconFolder, key: "p" },
      { to: "/t/$tenantId/onboardings", label: text.frame.onboardings, icon: IconFolderPlus, key: "n" },
      { to: "/t/$tenantId/dry-runs", label: text.frame.dryRuns, icon: IconFlask, key: "d" },
      { to: "/t/$tenantId/costs", label: text.frame.costs, icon: IconCoin, key: "c", shown: managesHere },
    ],
  },
  {
    label: text.frame.settings,
    entries: [
      { to: "/t/$tenantId/me", label: text.frame.me, icon: IconSettings, key: "m" },
      { to: "/t/$tenantId/first-steps", label: text.frame.firstSteps, icon: IconChecklist },
      { to: "/t/$tenantId/models", label: text.frame.models, icon: IconCpu },
      { to: "/t/$tenantId/model-keys", label: text.frame.modelKeys, icon: IconKey, shown: managesHere },
      { to: "/t/$tenantId/defaults", label: text.crumbs.defaults, icon: IconAdjustments },
      { to: "/t/$tenantId/rules", label: text.crumbs.rules, icon: IconGavel },
      { to: "/t/$tenantId/patterns", label: text.frame.patterns, icon: IconTemplate },
      { to: "/t/$tenantId/connections", label: text.frame.connections, icon: IconPlug, shown: managesHere },
      { to: "/t/$tenantId/trackers", label: text.frame.trackers, icon: IconTicket, shown: managesHere },
      { to: "/t/$tenantId/mcp-servers", label: text.frame.tools, icon: IconTool, shown: managesHere },
      { to: "/t/$tenantId/notifications", label: text.frame.channels, icon: IconBell, shown: managesHere },
      { to: "/t/$tenantId/mcp-access", label: text.frame.mcp, icon: IconApi },
      { to: "/t/$tenantId/members", label: text.frame.members, icon: IconUsers, shown: managesHere },
      { to: "/t/$tenantId/audit", label: text.frame.audit, icon: IconHistory, shown: managesHere },
      { to: "/t/$tenantId/settings", label: text.crumbs.settings, icon: IconSettingsCog },
    ],
  },
  {
    label: text.frame.instance,
    entries: [
      { to: "/instance/health", label: text.frame.health, icon: IconHeartbeat, shown: managesInstance },
      { to: "/instance/deliveries", label: text.frame.deliveries, icon: IconMailbox, shown: managesInstance },
      { to: "/instance/dead-letters", label: text.frame.deadLetters, icon: IconSkull, shown: managesInstance },
      { to: "/instance/tenants", label: text.frame.allTenants, icon: IconBuilding, shown: managesInstance },
      { to: "/instance/apps", label: text.frame.apps, icon: IconApps, shown: managesInstance },
      { to: "/instance/identity-providers", label: text.frame.identityProviders, icon: IconId, shown: managesInstance },
      { to: "/instance/settings", label: text.frame.instanceSettings, icon: IconServerCog, shown: managesInstance },
      { to: "/instance/sign-off", label: text.frame.signOff, icon: IconSignature, shown: managesInstance },
      { to: "/instance/telemetry", label: text.frame.telemetry, icon: IconBroadcast, shown: managesInstance },
      { to: "/instance/evaluations", label: text.frame.evaluations, icon: IconTestPipe, shown: managesInstance },
      { to: "/instance/audit", label: text.frame.instanceAudit, icon: IconListSearch, shown: managesInstance },
    ],
  },
];

const isFor = (viewer: Viewer, entry: Entry) => (viewer.tenantId !== "" || !entry.to.startsWith("/t/")) && (!entry.shown || entry.shown(viewer));

/** The groups of pages for somebody, in the order in which they are shown; a group without pages is left out. */
export const shownTo = (viewer: Viewer): readonly Group[] => groups.map((g) => ({ ...g, entries: g.entries.filter((e) => isFor(viewer, e)) })).filter((g) => g.entries.length > 0);

/** The same without groups. */
export const pagesFor = (viewer: Viewer): readonly Entry[] => shownTo(viewer).flatMap((g) => g.entries);
