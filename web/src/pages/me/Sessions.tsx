import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, ok } from "@/api/client";
import type { Schemas } from "@/api/queries";
import { text } from "@/texts";
import { confirm } from "@/ui/confirm";
import { Empty } from "@/ui/Empty";
import { ListTable, type Column } from "@/ui/ListTable";
import { browserOf } from "./browser";
import { Time } from "@/ui/Time";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";
import { useListing } from "@/ui/useListing";

type Session = Schemas["Session"];

const key = ["me", "sessions"] as const;

/** The sessions of the person, which can be ended. */
export function Sessions() {
  const client = useQueryClient();
  const listing = useListing<Session>(key, (_, signal) => answer(api.GET("/api/me/sessions", { signal })));
  const end = useMutation({
    mutationFn: (sessionId: string) => ok(api.DELETE("/api/me/sessions/{sessionId}", { params: { path: { sessionId } } })),
    onSuccess: () => {
      notice(text.me.ended);
      return client.invalidateQueries({ queryKey: key });
    },
    onError: (error) => failed(error),
  });
  const columns: readonly Column<Session>[] = [
    { key: "browser", heading: text.me.browser, cell: (s) => (
        <bdi title={s.agent}>{browserOf(s.agent) || text.me.unknownBrowser}</bdi>
      ) },
    { key: "address", heading: text.me.address, cell: (s) => <code>{s.address || text.common.none}</code> },
    { key: "used", heading: text.me.used, cell: (s) => <Time at={s.lastUsedAt} /> },
    { key: "ends", heading: text.me.ends, cell: (s) => <Time at={s.expiresAt} /> },
    {
      key: "end",
      heading: text.me.end,
      cell: (s) =>
        s.current ? (
          text.me.current
        ) : (
          <Button size="xs" variant="default" loading={end.isPending && end.variables === s.id} onClick={() => confirm({ title: text.me.endTitle, says: text.me.endSays, does: text.me.endDoes, then: () => end.mutate(s.id) })}>
            {text.me.end}
          </Button>
        ),
    },
  ];
  return <ListTable caption={text.me.sessions} columns={columns} listing={listing} rowKey={(s) => s.id} empty={<Empty says={text.common.none} />} />;
}
