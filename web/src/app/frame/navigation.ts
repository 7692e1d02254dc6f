import {
  IconAdjustments, IconApi, IconApps, IconBell, IconBug, IconBuilding, IconChartBar, IconChecklist, IconChecks, IconCoin, IconCpu, IconFlask, IconFolder, IconFolderPlus, IconGavel, IconHeartbeat,
  IconHistory, IconHourglass, IconId, IconInbox, IconKey, IconListCheck, IconListSearch, IconMailbox, IconPlug, IconServerCog, IconSettings, IconSettingsCog, IconSignature, IconSkull, IconTestPipe,
  IconTicket, IconTool, IconUser, IconUsers, type Icon,
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
  /** Words by which people also look for the page. */
  also?: string;
  /** Who sees it; everybody where this is absent. */
  shown?: (viewer: Viewer) => boolean;
  /** Pages that share the entry: they are tabs above its page. */
  beside?: readonly Entry[];
}

/** Pages that belong together, with the heading above them. */
export interface Group {
  label: string;
  entries: readonly Entry[];
}

/** Pages with a list of their own beside the menu. */
export interface Section {
  label: string;
  icon: Icon;
  groups: readonly Group[];
}

/** The menu: its pages, and the sections below them. */
export interface Navigation {
  pages: readonly Entry[];
  sections: readonly Section[];
}

const managesHere = (v: Viewer) => v.access !== undefined && manages(v.access);
const managesInstance = (v: Viewer) => v.instanceAdmin;
const { frame, crumbs, synonyms } = text;

const pages: readonly Entry[] = [
  { to: "/t/$tenantId/inbox", label: frame.inbox, icon: IconInbox, key: "i" },
  {
    to: "/t/$tenantId/runs",
    label: frame.runs,
    icon: IconListCheck,
    key: "r",
    also: synonyms.runs,
    beside: [
      { to: "/t/$tenantId/approvals", label: frame.approvals, icon: IconChecks, key: "a" },
      { to: "/t/$tenantId/dry-runs", label: frame.dryRuns, icon: IconFlask, key: "d", also: synonyms.dryRuns },
    ],
  },
  { to: "/t/$tenantId/findings", label: frame.findings, icon: IconBug, key: "f", also: synonyms.findings },
  {
    to: "/t/$tenantId/repositories",
    label: frame.repositories,
    icon: IconFolder,
    key: "p",
    beside: [{ to: "/t/$tenantId/onboardings", label: frame.onboardings, icon: IconFolderPlus, key: "n", also: synonyms.onboardings }],
  },
  { to: "/t/$tenantId", label: frame.overview, icon: IconChartBar, key: "o", also: synonyms.overview },
  { to: "/t/$tenantId/costs", label: frame.costs, icon: IconCoin, key: "c", also: synonyms.costs, shown: managesHere },
];

const sections: readonly Section[] = [
  {
    label: frame.settings,
    icon: IconSettings,
    groups: [
      {
        label: frame.personal,
        entries: [
          { to: "/t/$tenantId/me", label: frame.me, icon: IconUser, key: "m", also: synonyms.me },
          { to: "/t/$tenantId/mcp-access", label: frame.mcp, icon: IconApi, also: synonyms.mcp },
        ],
      },
      {
        label: frame.reviewing,
        entries: [
          { to: "/t/$tenantId/defaults", label: crumbs.defaults, icon: IconAdjustments, also: synonyms.defaults },
          { to: "/t/$tenantId/rules", label: crumbs.rules, icon: IconGavel, also: synonyms.rules },
          { to: "/t/$tenantId/models", label: frame.models, icon: IconCpu, also: synonyms.models },
          { to: "/t/$tenantId/model-keys", label: frame.modelKeys, icon: IconKey, also: synonyms.modelKeys, shown: managesHere },
        ],
      },
      {
        label: frame.integrations,
        entries: [
          { to: "/t/$tenantId/connections", label: frame.connections, icon: IconPlug, also: synonyms.connections, shown: managesHere },
          { to: "/t/$tenantId/trackers", label: frame.trackers, icon: IconTicket, also: synonyms.trackers, shown: managesHere },
          { to: "/t/$tenantId/mcp-servers", label: frame.tools, icon: IconTool, also: synonyms.tools, shown: managesHere },
          { to: "/t/$tenantId/notifications", label: frame.channels, icon: IconBell, also: synonyms.channels, shown: managesHere },
        ],
      },
      {
        label: frame.tenant,
        entries: [
          { to: "/t/$tenantId/settings", label: crumbs.settings, icon: IconSettingsCog, also: synonyms.settings },
          { to: "/t/$tenantId/members", label: frame.members, icon: IconUsers, also: synonyms.members, shown: managesHere },
          { to: "/t/$tenantId/audit", label: frame.audit, icon: IconHistory, shown: managesHere },
          { to: "/t/$tenantId/first-steps", label: frame.firstSteps, icon: IconChecklist, also: synonyms.firstSteps },
          { to: "/t/$tenantId/not-available", label: frame.notAvailable, icon: IconHourglass, also: synonyms.notAvailable },
        ],
      },
    ],
  },
  {
    label: frame.instance,
    icon: IconServerCog,
    groups: [
      {
        label: frame.operation,
        entries: [
          { to: "/instance/health", label: frame.health, icon: IconHeartbeat, also: synonyms.health, shown: managesInstance },
          { to: "/instance/deliveries", label: frame.deliveries, icon: IconMailbox, also: synonyms.deliveries, shown: managesInstance },
          { to: "/instance/dead-letters", label: frame.deadLetters, icon: IconSkull, also: synonyms.deadLetters, shown: managesInstance },
          { to: "/instance/evaluations", label: frame.evaluations, icon: IconTestPipe, also: synonyms.evaluations, shown: managesInstance },
        ],
      },
      {
        label: frame.configuration,
        entries: [
          { to: "/instance/settings", label: frame.instanceSettings, icon: IconSettingsCog, also: synonyms.instanceSettings, shown: managesInstance },
          { to: "/instance/apps", label: frame.apps, icon: IconApps, also: synonyms.apps, shown: managesInstance },
          { to: "/instance/identity-providers", label: frame.identityProviders, icon: IconId, also: synonyms.identityProviders, shown: managesInstance },
          { to: "/instance/sign-off", label: frame.signOff, icon: IconSignature, shown: managesInstance },
        ],
      },
      {
        label: frame.people,
        entries: [
          { to: "/instance/tenants", label: frame.allTenants, icon: IconBuilding, also: synonyms.allTenants, shown: managesInstance },
          { to: "/instance/audit", label: frame.instanceAudit, icon: IconListSearch, shown: managesInstance },
        ],
      },
    ],
  },
];

const isFor = (viewer: Viewer, entry: Entry) => (viewer.tenantId !== "" || !entry.to.startsWith("/t/")) && (!entry.shown || entry.shown(viewer));

/** The menu for somebody, in its order; groups and sections without pages are left out. */
export function navigationFor(viewer: Viewer): Navigation {
  const mine = (entries: readonly Entry[]) => entries.filter((e) => isFor(viewer, e));
  return {
    pages: mine(pages).map((e) => (e.beside ? { ...e, beside: mine(e.beside) } : e)),
    sections: sections
      .map((s) => ({ ...s, groups: s.groups.map((g) => ({ ...g, entries: mine(g.entries) })).filter((g) => g.entries.length > 0) }))
      .filter((s) => s.groups.length > 0),
  };
}

/** All pages of a menu, with those that share an entry. */
export const pagesOf = (menu: Navigation): readonly Entry[] => [
  ...menu.pages.flatMap((e) => [e, ...(e.beside ?? [])]),
  ...menu.sections.flatMap((s) => s.groups.flatMap((g) => g.entries)),
];

/** The address of an entry, without filters. */
export const addressOf = (entry: Entry, tenantId: string): string => entry.to.replace("$tenantId", tenantId);

/** The section that has the page at a path, if one has. */
export const sectionAt = (menu: Navigation, tenantId: string, path: string): Section | undefined =>
  menu.sections.find((s) => s.groups.some((g) => g.entries.some((e) => addressOf(e, tenantId) === path)));

/** The pages that share an entry with the page at a path; none if it has an entry of its own. */
export function tabsAt(menu: Navigation, tenantId: string, path: string): readonly Entry[] {
  const all = menu.pages.map((e) => [e, ...(e.beside ?? [])]).find((tabs) => tabs.some((e) => addressOf(e, tenantId) === path)) ?? [];
  return all.length > 1 ? all : [];
}
