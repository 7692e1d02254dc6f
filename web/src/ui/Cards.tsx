import type { ReactNode } from "react";
import { Button, Group, Stack, Title } from "@mantine/core";
import { text } from "@/texts";
import { Empty } from "./Empty";
import { useComing, Waiting } from "./Loaded";
import { StateMark, type Tone } from "./StateMark";
import { Trouble } from "./Trouble";
import type { Listing } from "./useListing";
import { Outside } from "./Outside";

interface Props<T> {
  listing: Listing<T>;
  /** The text of a list without rows, with what can be done about it. */
  none: string;
  action?: ReactNode;
  show: (row: T) => ReactNode;
}

/** A list of cards. It grows by its next page. */
export function Cards<T>({ listing, none, action, show }: Props<T>) {
  const { query, items, filled } = listing;
  const coming = useComing(query);
  if (query.isPending || coming) return <Waiting />;
  if (items.length === 0 && query.isError) return <Trouble error={query.error} again={() => void query.refetch()} />;
  if (items.length === 0) return filled ? <Empty says={none} action={action} /> : <Empty says={text.common.unfilled} />;
  return (
    <Stack>
      {items.map(show)}
      {query.isError && <Trouble error={query.error} again={() => void query.refetch()} />}
      {query.hasNextPage && (
        <Group>
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {text.common.more}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface CardProps {
  /** The id of the thing and of its heading. */
  id: string;
  name: string;
  tone?: Tone;
  state?: string;
  children: ReactNode;
}

/** One card of such a list: its name, its state, its details and its actions. The name may be text from outside. */
export function Card({ id, name, tone, state, children }: CardProps) {
  return (
    <section className="sheet" aria-labelledby={id}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Title order={2} size="h4" id={id} className="wrap-anywhere">
            <Outside says={name} />
          </Title>
          {tone && state && <StateMark tone={tone}>{state}</StateMark>}
        </Group>
        {children}
      </Stack>
    </section>
  );
}
