import { lazy, Suspense } from "react";
import { patiently } from "@/app/lazyPage";
import { reviewText as texts } from "@/texts/approval";
import { Waiting } from "@/ui/Loaded";
import { Quotation } from "../Quotation";

// The renderer is loaded when the first text is shown.
const Rendered = lazy(() => patiently(() => import("./Rendered")));

/** Longest text that is rendered, in UTF-16 units; longer ones are shown raw. */
export const longest = 200_000;

/** Markdown as the code host renders it. Nothing is loaded from outside and no HTML of its own runs; see Rendered. */
export function Markdown({ says, label }: { says: string; label: string }) {
  if (says === "") return null;
  if (says.length > longest) return <Quotation caption={texts.tooLong} text={says} label={label} />;
  return (
    <div className="rendered" role="group" aria-label={label}>
      <Suspense fallback={<Waiting lines={3} />}>
        <Rendered says={says} />
      </Suspense>
    </div>
  );
}
