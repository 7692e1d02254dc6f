import { queryOptions } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import { keys } from "@/api/queries";

const at = (tenantId: string, repositoryId: string) => ({ params: { path: { tenantId, repositoryId } } });

/** A repository's own policy. */
export const policyQuery = (tenantId: string, repositoryId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "policy", repositoryId),
    queryFn: ({ signal }) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/policy", { ...at(tenantId, repositoryId), signal })),
  });

/** Every setting of a repository with its effective value. */
export const featuresQuery = (tenantId: string, repositoryId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "feature-settings", repositoryId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/feature-settings", { ...at(tenantId, repositoryId), signal })),
  });

/** The tenant's policy for its repositories. */
export const defaultsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "repository-defaults"),
    queryFn: ({ signal }) => answer(api.GET("/api/tenants/{tenantId}/repository-defaults", { params: { path: { tenantId } }, signal })),
  });

/** A repository with its figures. */
export const repositoryQuery = (tenantId: string, repositoryId: string) =>
  queryOptions({
    queryKey: keys.tenant(tenantId, "repository", repositoryId),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}", { ...at(tenantId, repositoryId), signal })),
  });
