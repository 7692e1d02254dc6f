import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { configuredAnalysers as texts } from "@/texts/configuredAnalysers";
import { Loaded } from "@/ui/Loaded";

/** The analysers that the operator has configured, for the setting that switches them on. */
export function Analysers() {
  const query = useQuery({
    queryKey: ["analysers"],
    queryFn: async ({ signal }) => (await ok(api.GET("/api/analysers", { signal }))).items,
    staleTime: 10 * 60_000,
  });
  return (
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
  );
}
