import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { configuredAnalysers as texts } from "@/texts/configuredAnalysers";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";

interface Props {
  /** The names in the setting {@link setting} that is in effect. */
  named: readonly string[];
}

/** The setting that names analysers. */
export const setting = "deterministic.analysers";

/** The analysers that the operator has configured, for the setting that switches them on. It warns of names that no analyser has. */
export function Analysers({ named }: Props) {
  const query = useQuery({
    queryKey: ["analysers"],
    queryFn: async ({ signal }) => (await ok(api.GET("/api/analysers", { signal }))).items,
    staleTime: 10 * 60_000,
  });
  const absent = query.data ? named.filter((name) => !query.data.some((a) => a.name === name)) : [];
  return (
    <>
      {absent.length > 0 && (
        <div className="note bad">
          <Outside says={texts.absent(absent)} />
        </div>
      )}
      <details>
        <summary>{texts.title}</summary>
        <Loaded query={query} lines={2}>
          {(all) =>
            all.length === 0 ? (
              <Text size="sm">{texts.none}</Text>
            ) : (
              <>
                <Text size="sm">{texts.says}</Text>
                <ul>
                  {all.map((a) => (
                    <li key={a.name} className="wrap-anywhere">
                      <code>{a.name}</code>: {texts.describe(a)}
                    </li>
                  ))}
                </ul>
              </>
            )
          }
        </Loaded>
      </details>
    </>
  );
}
