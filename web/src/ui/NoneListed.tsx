import { Button } from "@mantine/core";
import { Empty } from "./Empty";

interface Props {
  filters: object;
  /** The text if the list is empty. */
  none: string;
  /** The text if no entry matches the filters. */
  unmet: string;
  clears: string;
  change: (to: Record<string, undefined>) => void;
}

/** An empty list: because it has no entries, or because of its filters, which can then be removed. */
export function NoneListed({ filters, none, unmet, clears, change }: Props) {
  const set = Object.keys(filters);
  if (set.length === 0) return <Empty says={none} />;
  return (
    <Empty
      says={unmet}
      action={
        <Button className="clears" variant="default" onClick={() => change(Object.fromEntries(set.map((k) => [k, undefined])))}>
          {clears}
        </Button>
      }
    />
  );
}
