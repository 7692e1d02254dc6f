import { IconBug, IconChecks, IconFlask, IconFolder, IconHome, IconInbox, IconListCheck, IconSettings, type Icon } from "@tabler/icons-react";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";

/** A page in the navigation. key is its shortcut after "g". */
export interface Entry {
  to: "/t/$tenantId" | "/t/$tenantId/inbox" | "/t/$tenantId/runs" | "/t/$tenantId/approvals" | "/t/$tenantId/findings" | "/t/$tenantId/repositories" | "/t/$tenantId/dry-runs" | "/t/$tenantId/me";
  label: string;
  icon: Icon;
  key: string;
  /** Who sees it; everybody where this is absent. */
  shown?: (access: Schemas["Access"]) => boolean;
}

/** The pages of a tenant, in the order in which they are shown. */
export const entries: readonly Entry[] = [
  { to: "/t/$tenantId", label: text.frame.overview, icon: IconHome, key: "o" },
  { to: "/t/$tenantId/inbox", label: text.frame.inbox, icon: IconInbox, key: "i" },
  { to: "/t/$tenantId/runs", label: text.frame.runs, icon: IconListCheck, key: "r" },
  { to: "/t/$tenantId/approvals", label: text.frame.approvals, icon: IconChecks, key: "a" },
  { to: "/t/$tenantId/findings", label: text.frame.findings, icon: IconBug, key: "f" },
  { to: "/t/$tenantId/repositories", label: text.frame.repositories, icon: IconFolder, key: "p" },
  { to: "/t/$tenantId/dry-runs", label: text.frame.dryRuns, icon: IconFlask, key: "d" },
  { to: "/t/$tenantId/me", label: text.frame.me, icon: IconSettings, key: "m" },
];

export const shownTo = (access: Schemas["Access"] | undefined): readonly Entry[] => entries.filter((e) => !e.shown || (access !== undefined && e.shown(access)));
