import { useState, type ReactNode } from "react";
import { Button } from "@mantine/core";
import { text } from "@/texts";

interface Props {
  /** How many of the other filters are set; then they are open at first. */
  set: number;
  frequent: ReactNode;
  others: ReactNode;
}

/** FoldedFilters shows the frequent filters of a list, and the others behind a button. */
export function FoldedFilters({ set, frequent, others }: Props) {
  const [open, setOpen] = useState(set > 0);
  return (
    <>
      {frequent}
      <Button variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? text.common.fewerFilters : text.common.moreFilters(set)}
      </Button>
      {open && others}
    </>
  );
}
