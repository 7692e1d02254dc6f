import { queryOptions } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";

export type Rule = Schemas["Rule"];
export type RuleCreate = Schemas["RuleCreate"];
export type RuleUpdate = Schemas["RuleUpdate"];

/** Where rules are: at a tenant, or at one of its repositories. */
export interface Place {
  tenantId: string;
  repositoryId?: string;
}

const tenantRules = "/api/tenants/{tenantId}/rules";
const repositoryRules = "/api/tenants/{tenantId}/repositories/{repositoryId}/rules";

/** The prefix of cached data that depends on the rules of a place. */
export const rulesKey = ({ tenantId, repositoryId }: Place) => keys.tenant(tenantId, "rules", repositoryId ?? "");

const readRules = ({ tenantId, repositoryId }: Place, cursor: string | undefined, signal: AbortSignal) => {
  const query = { limit: 100, ...(cursor ? { cursor } : {}) };
  return repositoryId === undefined
    ? answer(api.GET(tenantRules, { params: { path: { tenantId }, query }, signal }))
    : answer(api.GET(repositoryRules, { params: { path: { tenantId, repositoryId }, query }, signal }));
};

/** All rules of a place, newest first: there are 200 at most. */
export const allRulesQuery = (place: Place) =>
  queryOptions({
    queryKey: [...rulesKey(place), "all"],
    queryFn: async ({ signal }) => {
      const out: Rule[] = [];
      let cursor: string | undefined;
      do {
        const { data } = await readRules(place, cursor, signal);
        out.push(...data.items);
        cursor = data.nextCursor || undefined;
      } while (cursor !== undefined);
      return out;
    },
  });

/** The rules of a repository as reviews apply them. */
export const effectiveQuery = (tenantId: string, repositoryId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "effective-rules", repositoryId),
    queryFn: ({ signal }) => ok(api.GET(`${repositoryRules}/effective`, { params: { path: { tenantId, repositoryId } }, signal })),
  });

/** The proposed rules of a repository that wait for a decision: there are 20 at most. */
export const proposalsQuery = (tenantId: string, repositoryId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "proposed-rules", repositoryId),
    queryFn: ({ signal }) => ok(api.GET(`${repositoryRules}/proposals`, { params: { path: { tenantId, repositoryId }, query: { state: "proposed", limit: 100 } }, signal })),
  });

export const createRule = ({ tenantId, repositoryId }: Place, body: RuleCreate): Promise<Rule> =>
  repositoryId === undefined ? ok(api.POST(tenantRules, { params: { path: { tenantId } }, body })) : ok(api.POST(repositoryRules, { params: { path: { tenantId, repositoryId } }, body }));

export const updateRule = ({ tenantId, repositoryId }: Place, rule: Rule, body: RuleUpdate): Promise<Rule> => {
  const header = { "If-Match": `"v${rule.version}"` };
  return repositoryId === undefined
    ? ok(api.PATCH(`${tenantRules}/{ruleId}`, { params: { path: { tenantId, ruleId: rule.id }, header }, body }))
    : ok(api.PATCH(`${repositoryRules}/{ruleId}`, { params: { path: { tenantId, repositoryId, ruleId: rule.id }, header }, body }));
};

export const deleteRule = async ({ tenantId, repositoryId }: Place, ruleId: string): Promise<void> => {
  if (repositoryId === undefined) await ok(api.DELETE(`${tenantRules}/{ruleId}`, { params: { path: { tenantId, ruleId } } }));
  else await ok(api.DELETE(`${repositoryRules}/{ruleId}`, { params: { path: { tenantId, repositoryId, ruleId } } }));
};

/** The scope of a rule that is not stored. replaces is the id of the edited rule. */
export const previewQuery = (place: Place, body: RuleCreate, replaces: string | undefined) =>
  queryOptions({
    queryKey: [...rulesKey(place), "preview", replaces ?? "", body],
    queryFn: ({ signal }) => {
      const { tenantId, repositoryId } = place;
      const query = replaces === undefined ? {} : { replaces };
      return repositoryId === undefined
        ? ok(api.POST(`${tenantRules}/preview`, { params: { path: { tenantId }, query }, body, signal }))
        : ok(api.POST(`${repositoryRules}/preview`, { params: { path: { tenantId, repositoryId }, query }, body, signal }));
    },
    retry: false,
    gcTime: 60_000,
  });

/** The last reviews as they would be with another rule. */
export const ruleWhatIf = ({ tenantId, repositoryId }: Place, ruleId: string, body: RuleUpdate): Promise<Schemas["WhatIf"]> =>
  repositoryId === undefined
    ? ok(api.POST(`${tenantRules}/{ruleId}/what-if`, { params: { path: { tenantId, ruleId } }, body }))
    : ok(api.POST(`${repositoryRules}/{ruleId}/what-if`, { params: { path: { tenantId, repositoryId, ruleId } }, body }));
