import type { QueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { keys } from "@/api/queries";
import { findings as texts } from "@/texts/findings";
import { failed } from "@/ui/failed";
import { notice } from "@/ui/notice";

/** Takes dismissals of findings back, at most 100, and says what became of them. It can run after the page of its button is gone. */
export async function reopen(client: QueryClient, tenantId: string, findingIds: readonly string[]): Promise<void> {
  try {
    const results = await ok(api.POST("/api/tenants/{tenantId}/findings/reopenings", { params: { path: { tenantId } }, body: { findingIds: [...findingIds] } }));
    const refused = results.items.filter((i) => i.outcome === "refused");
    if (results.reopened > 0) notice(texts.reopened(results.reopened));
    if (refused.length > 0) notice([texts.notReopened(refused.length), ...new Set(refused.map((i) => i.detail ?? ""))].join(" "));
  } catch (error) {
    failed(error);
  }
  await client.invalidateQueries({ queryKey: keys.tenant(tenantId) }); // lists, counts and reviews show it, too
}
