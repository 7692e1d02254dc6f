import { useId, useRef, useState, type ReactNode } from "react";
import { Button } from "@mantine/core";
import { text } from "@/texts";

interface Props {
  /** The chosen filters, as the address has them. The page and the order of a list are not counted. */
  filters: object;
  /** Changes filters of the address; undefined removes one. */
  change: (to: Record<string, undefined>) => void;
  children: ReactNode;
}

/** FilterRow holds few filters in a row, each with its label beside it. They stay in a narrow window. */
export function FilterRow({ children }: { children: ReactNode }) {
  return (
    <div className="filters" data-open>
      {children}
    </div>
  );
}

/** FilterBar holds the filters of a list in a row, each with its label beside it. In a narrow window they stand behind a button that counts the chosen ones. A button removes all that are chosen. */
export function FilterBar({ filters, change, children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const fields = useRef<HTMLDivElement>(null);
  const set = Object.entries(filters)
    .filter(([key, v]) => !["page", "sort"].includes(key) && v !== undefined && v !== "")
    .map(([key]) => key);
  const clear = () => {
    fields.current?.focus({ preventScroll: true }); // the button goes
    change(Object.fromEntries([...set, "page"].map((key) => [key, undefined])));
  };
  return (
    <div className="filter-bar">
      <Button className="filters-button" variant="default" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {text.common.filters(set.length)}
      </Button>
      <div id={id} ref={fields} role="group" aria-label={text.common.filters(0)} tabIndex={-1} className="filters" data-open={open || undefined}>
        {children}
        {set.length > 0 && (
          <Button className="clear-filters" variant="subtle" px="xs" aria-label={text.common.clearFilters} onClick={clear}>
            {text.common.clear}
          </Button>
        )}
      </div>
    </div>
  );
}
