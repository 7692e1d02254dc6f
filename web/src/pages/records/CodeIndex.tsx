import { useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { text } from "@/texts";
import { records as texts } from "@/texts/records";
import { Empty } from "@/ui/Empty";
import { Facts } from "@/ui/Facts";
import { count } from "@/ui/format";
import { Loaded } from "@/ui/Loaded";
import { Time } from "@/ui/Time";
import { listKey, type Place } from "./Listed";

/** The state of the index of a repository's code. */
export function CodeIndex(at: Place) {
  const query = useQuery({
    queryKey: listKey(at, "code-index"),
    queryFn: ({ signal }) => answer(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/code-index", { params: { path: at }, signal })),
  });
  return (
    <Loaded query={query}>
      {({ data: i, filled }) =>
        filled ? (
          <Facts
            of={[
              [texts.state, texts.indexStates[i.state]],
              [texts.branch, i.branch],
              [texts.files, count(i.files)],
              [texts.chunks, count(i.chunks)],
              [texts.builtAt, i.builtAt && <Time key="built" at={i.builtAt} />],
            ]}
          />
        ) : (
          <Empty says={text.common.unfilled} />
        )
      }
    </Loaded>
  );
}
