import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { credentialsQuery, keyTestsQuery, llmPolicyQuery, modelsQuery } from "@/api/models";
import { accessQuery, dashboardQuery, keys, manages, meQuery, readRepositories, type Schemas } from "@/api/queries";
import { defaultsQuery } from "@/pages/policy/queries";
import { steps, type Step } from "./steps";

const look = 3_000; // in ms, between two questions while a review is under way, or repositories are awaited
const awaited = 40; // readings after which no new repository is awaited
const addressCheck = "D012"; // of the public address, in the checks of the instance's health

export interface Steps {
  steps: Step[];
  /** Everything that can be asked was answered. */
  ready: boolean;
  admin: boolean;
  runs: readonly Schemas["ReviewRun"][];
  keys: readonly Schemas["LlmCredential"][];
  /** The id of the first repository that can be reviewed; "" for none. */
  repository: string;
  error: unknown;
  again: () => void;
  /** Has the service ask itself at its public address; undefined for who does not manage the instance. */
  test: (() => void) | undefined;
}

const runsKey = (tenantId: string, what: string) => keys.tenant(tenantId, "first-steps", what);

/** Asks the service for the tenant's progress. Requests that the person may not make are left out. */
export function useSteps(tenantId: string): Steps {
  const client = useQueryClient();
  const access = useQuery(accessQuery(tenantId));
  const me = useQuery(meQuery);
  const admin = access.data !== undefined && manages(access.data);
  const dashboard = useQuery({ ...dashboardQuery(tenantId), enabled: admin });
  const policy = useQuery(llmPolicyQuery(tenantId));
  const defaults = useQuery({ ...defaultsQuery(tenantId), enabled: admin });
  const credentials = useQuery({ ...credentialsQuery(tenantId), enabled: admin });
  const tests = useQuery({ ...keyTestsQuery(tenantId), enabled: admin });
  const list = useQuery(modelsQuery(tenantId, admin ? (credentials.data?.[0]?.id ?? "") : ""));
  const [repositories, connections, runs, events, health] = useQueries({
    queries: [
      {
        queryKey: runsKey(tenantId, "repositories"),
        queryFn: async ({ signal }: { signal: AbortSignal }) => (await readRepositories(tenantId, {}, undefined, signal)).data.items,
        // A host that was just connected is synchronised within seconds. Later repositories send an event.
        refetchInterval: (q: { state: { data?: readonly unknown[] | undefined; dataUpdateCount: number } }) => (q.state.data?.length === 0 && q.state.dataUpdateCount < awaited && (client.getQueryData<readonly unknown[]>(runsKey(tenantId, "connections"))?.length ?? 0) > 0 ? look : false),
      },
      {
        queryKey: runsKey(tenantId, "connections"),
        queryFn: async ({ signal }: { signal: AbortSignal }) => (await ok(api.GET("/api/tenants/{tenantId}/provider-connections", { params: { path: { tenantId } }, signal }))).items,
        enabled: admin,
      },
      {
        queryKey: runsKey(tenantId, "runs"),
        queryFn: async ({ signal }: { signal: AbortSignal }) => (await ok(api.GET("/api/tenants/{tenantId}/review-runs", { params: { path: { tenantId }, query: { limit: 20 } }, signal }))).items,
        refetchInterval: (q: { state: { data?: Schemas["ReviewRun"][] | undefined } }) => (q.state.data?.some((r) => ["queued", "running", "publishing"].includes(r.state)) ? look : false),
      },
      {
        queryKey: runsKey(tenantId, "events"),
        queryFn: async ({ signal }: { signal: AbortSignal }) => (await ok(api.GET("/api/tenants/{tenantId}/review-runs", { params: { path: { tenantId }, query: { limit: 1, madeBy: "event" } }, signal }))).items.length > 0,
      },
      {
        queryKey: ["instance", "health"],
        queryFn: ({ signal }: { signal: AbortSignal }) => ok(api.GET("/api/instance/health", { signal })),
        enabled: me.data?.instanceAdmin ?? false,
      },
    ],
  });
  const current = credentials.data ?? [];
  const newest = tests.data?.flatMap((t) => {
    const of = current.find((k) => k.id === t.target?.id);
    return of && (of.apiKeyUpdatedAt === undefined || Date.parse(t.at) >= Date.parse(of.apiKeyUpdatedAt)) ? [{ name: of.name, ok: t.result === "ok", note: t.note ?? "" }] : [];
  });
  const all = [access, dashboard, policy, defaults, credentials, tests, repositories, connections, runs, events, health];
  return {
    steps: steps({
      connections: connections.data,
      repositories: repositories.data,
      address: health.data?.checks.find((c) => c.code === addressCheck),
      delivered: events.data,
      keys: credentials.data,
      test: newest?.find((t) => t.ok) ?? newest?.[0],
      list: list.data,
      answered: dashboard.data?.spend && dashboard.data.spend.total.outputTokens > 0 ? dashboard.data.spend.total.calls : undefined,
      tiers: policy.data?.tiers,
      check: defaults.data && (defaults.data.data.check ?? {}),
      runs: runs.data,
    }),
    ready: all.every((q) => !q.isLoading),
    admin,
    runs: runs.data ?? [],
    keys: current,
    repository: repositories.data?.find((r) => r.state === "active")?.id ?? "",
    error: all.find((q) => q.error)?.error ?? null,
    again: () => all.forEach((q) => void q.refetch()),
    test: me.data?.instanceAdmin ? () => void health.refetch() : undefined,
  };
}
