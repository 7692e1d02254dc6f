import type { ReactNode } from "react";
import { visible } from "./visible";

interface Props {
  /** The whole text for the pointer, where the line may be cut. */
  full?: string;
  quiet?: boolean;
  children: ReactNode;
}

/** One line of a cell in a wide column. It ends with "…" where there is no more room; in a narrow window it wraps. */
export function Line({ full, quiet, children }: Props) {
  return (
    <div className={quiet ? "line quiet" : "line"} {...(full ? { title: visible(full) } : {})}>
      {children}
    </div>
  );
}
