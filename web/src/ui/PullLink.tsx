import type { ReactNode } from "react";
import { PageLink } from "./links";

interface Props {
  tenantId: string;
  repositoryId: string;
  number: number;
  size?: "sm";
  children: ReactNode;
}

/** The page of a pull request. */
export function PullLink({ tenantId, repositoryId, number, size, children }: Props) {
  return (
    <PageLink to="/t/$tenantId/repositories/$repositoryId/pulls/$number" params={{ tenantId, repositoryId, number: String(number) }} {...(size ? { size, className: "target" } : {})}>
      {children}
    </PageLink>
  );
}
