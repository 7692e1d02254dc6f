import { expect, test } from "vitest";
import { readSearch as approvals } from "@/pages/approvals/route";
import { readSearch as audit } from "@/pages/audit/search";
import { readSearch as channels } from "@/pages/channels/route";
import { readSearch as costs } from "@/pages/costs/route";
import { readSearch as dryRuns } from "@/pages/dryruns/route";
import { readSearch as findings } from "@/pages/findings/route";
import { readDead, readDeliveries } from "@/pages/instance/search";
import { readSearch as models } from "@/pages/models/route";
import { readSearch as onboardings } from "@/pages/onboardings/search";
import { readSearch as repositories } from "@/pages/repositories/route";
import { readSearch as repository } from "@/pages/repository/route";
import { readSearch as rules } from "@/pages/rules/route";
import { runSearch } from "@/pages/run/tabs";
import { readSearch as runs } from "@/pages/runs/route";
import { readSearch as settings } from "@/pages/settings/search";
import { readSearch as tools } from "@/pages/tools/route";

/** Every reader of an address. */
const readers = { approvals, audit, channels, costs, dryRuns, findings, readDead, readDeliveries, models, onboardings, repositories, repository, rules, runSearch, runs, settings, tools };

const names = ["tab", "file", "state", "severity", "category", "rule", "path", "number", "repository", "madeBy", "author", "since", "until", "from", "to", "by", "result", "actor", "action", "targetKind", "targetId", "guid", "host", "lane", "kind", "tenantId", "sourceId", "name", "connection", "edit", "messages", "calls", "q"];

/** The router reads what stands in an address as JSON where it is JSON. */
const hostile: readonly unknown[] = [{}, { valueOf: 1, toString: 1 }, [], ["open"], [[1]], true, null, -1, 1.5];

test.each(Object.entries(readers))("%s leaves out what is neither words nor a number", (_, read) => {
  for (const value of hostile) expect(read(Object.fromEntries(names.map((n) => [n, value])))).toEqual({});
});

test.each(Object.entries(readers))("%s takes no name that every object has for one of its own", (_, read) => {
  const closed = ["tab", "state", "severity", "category", "madeBy", "by", "result", "host", "lane", "number", "since", "until", "from", "to"];
  for (const value of ["constructor", "__proto__", "toString", "hasOwnProperty"]) expect(read(Object.fromEntries(closed.map((n) => [n, value])))).toEqual({});
});
