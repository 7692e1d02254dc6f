import { lazy, Suspense } from "react";
import { patiently } from "@/app/lazyPage";
import { text } from "@/texts";
import { FoldedFilters } from "@/ui/FoldedFilters";
import { RepositoryPicker } from "@/ui/RepositoryPicker";
import { Choice, type FilterProps } from "./Choice";

// Its fields are loaded when they are shown, because the list comes first.
const RareFilters = lazy(() => patiently(() => import("./RareFilters")));

const rare = ["madeBy", "since", "until", "author", "number"] as const;

/** The filters of the list. A choice takes effect immediately, typed text with Enter or when its field loses the focus. */
export function Filters({ tenantId, search, change }: FilterProps & { tenantId: string }) {
  const frequent = (
    <>
      <RepositoryPicker all={text.common.allRepositories} tenantId={tenantId} value={search.repository ?? ""} onChange={(repository) => change({ repository, ...(repository === "" ? { number: "" } : {}) })} />
      <Choice name="state" label={text.common.state} names={text.runs.state} search={search} change={change} />
    </>
  );
  const others = (
    <Suspense>
      <RareFilters search={search} change={change} />
    </Suspense>
  );
  return <FoldedFilters set={rare.filter((key) => search[key] !== undefined).length} frequent={frequent} others={others} />;
}
