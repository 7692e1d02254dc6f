import { useQuery } from "@tanstack/react-query";
import { accessQuery, manages, type Schemas } from "./queries";

/** Whether the person manages a repository. This decides what is offered; the service enforces it. */
export const managesRepository = (access: Schemas["Access"] | undefined, repositoryId: string): boolean =>
  access !== undefined && (access.repositories.find((r) => r.repositoryId === repositoryId)?.permissions.includes("repo:manage") ?? manages(access));

export function useMayManage(tenantId: string, repositoryId: string): boolean {
  return managesRepository(useQuery(accessQuery(tenantId)).data, repositoryId);
}

/** Whether the person may decide about reviews of a repository. */
export const useMayReview = (tenantId: string, repositoryId: string): boolean => {
  const access = useQuery(accessQuery(tenantId)).data;
  return access !== undefined && (access.repositories.find((r) => r.repositoryId === repositoryId)?.permissions.includes("repo:review") ?? manages(access));
};

export function useMayManageTenant(tenantId: string): boolean {
  const access = useQuery(accessQuery(tenantId)).data;
  return access !== undefined && manages(access);
}
