import { useState } from "react";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys, type Schemas } from "@/api/queries";
import { codeIndex as texts } from "@/texts/codeIndex";
import { Empty } from "@/ui/Empty";
import { Loaded } from "@/ui/Loaded";
import { Outside } from "@/ui/Outside";
import type { Place } from "./Listed";
import "./codeSearch.css";

type Found = Schemas["FoundCode"];

/** A search of a repository's code. */
export function CodeSearch(at: Place) {
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  return (
    <Stack gap="sm">
      <form
        role="search"
        onSubmit={(e) => {
          e.preventDefault();
          setAsked(typed.trim());
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput label={texts.query} description={texts.querySays} value={typed} maxLength={200} onChange={(e) => setTyped(e.currentTarget.value)} />
          <Button type="submit" disabled={typed.trim().length < 2}>
            {texts.search}
          </Button>
        </Group>
      </form>
      {asked !== "" && <Results at={at} asked={asked} />}
    </Stack>
  );
}

function Results({ at, asked }: { at: Place; asked: string }) {
  const query = useQuery({
    queryKey: keys.tenant(at.tenantId, "code-search", at.repositoryId, asked),
    queryFn: ({ signal }) => ok(api.GET("/api/tenants/{tenantId}/repositories/{repositoryId}/code-search", { params: { path: at, query: { q: asked } }, signal })),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query}>
      {(r) => (
        <Stack gap="sm">
          <Text role="status">{texts.found(r.items.length, r.more, r.commitSha.slice(0, 12))}</Text>
          {r.items.length === 0 && <Empty says={texts.nothing} />}
          <ol className="found-code">
            {r.items.map((f) => (
              <Place key={`${f.path}:${f.start}:${f.line}`} found={f} />
            ))}
          </ol>
        </Stack>
      )}
    </Loaded>
  );
}

function Place({ found: f }: { found: Found }) {
  return (
    <li>
      <Text fw={650} className="wrap-anywhere">
        <Outside says={`${f.path}:${f.line}`} />
        {f.symbol && (
          <>
            {" "}
            <Outside says={f.symbol.name} />
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        {f.why.map((w) => texts.why[w]).join(", ")}
      </Text>
      <pre className="outside" tabIndex={0} aria-label={texts.excerpt(f.path)}>
        {f.lines.map((l, i) => `${f.start + i}\t${l}`).join("\n")}
      </pre>
    </li>
  );
}
