import { Empty } from "@/ui/Empty";
import { type Column, ListTable } from "@/ui/ListTable";
import { Time } from "@/ui/Time";
import { type Part, useListing } from "@/ui/useListing";
import { StateMark, type Tone } from "@/ui/StateMark";
import { keys } from "@/api/queries";
import type { Answer } from "@/api/client";
import { records as texts } from "@/texts/records";
import type { RecordList } from "./lists";

/** A repository of a tenant. */
export interface Place {
  tenantId: string;
  repositoryId: string;
}

/** Where a list of a repository is kept in the cache. */
export const listKey = ({ tenantId, repositoryId }: Place, list: RecordList) => keys.tenant(tenantId, "records", repositoryId, list);

interface Props<T> {
  at: Place;
  list: RecordList;
  read: (query: { cursor?: string }, signal: AbortSignal) => Promise<Answer<Part<T>>>;
  columns: readonly Column<T>[];
  rowKey: (row: T) => string;
}

/** A list of a repository. */
export function Listed<T>({ at, list, read, columns, rowKey }: Props<T>) {
  const listing = useListing<T>(listKey(at, list), (cursor, signal) => read(cursor ? { cursor } : {}, signal));
  return <ListTable caption={texts.of[list]} columns={columns} listing={listing} rowKey={rowKey} empty={<Empty says={texts.empty[list]} />} />;
}

/** The column that says when something was made. */
export const madeAt = <T extends { createdAt: string }>(): Column<T> => ({ key: "at", heading: texts.at, cell: (r) => <Time at={r.createdAt} /> });

type State = keyof typeof texts.states;

const tones: Record<State, Tone> = { queued: "quiet", running: "busy", publishing: "busy", completed: "good", failed: "bad", cancelled: "quiet" };

/** The column of the state. */
export const stateOf = <T extends { state: State }>(): Column<T> => ({ key: "state", heading: texts.state, cell: (r) => <StateMark tone={tones[r.state]}>{texts.states[r.state]}</StateMark> });
