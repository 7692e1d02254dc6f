// A program on the generated types. It is compiled, not run.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

const client = createClient<paths>({ baseUrl: "https://assay.example.com" });

type Rule = components["schemas"]["Rule"];

export async function rules(tenantId: string): Promise<Rule[]> {
  const me = await client.GET("/api/me");
  if (me.error) {
    throw new Error(me.error.code);
  }
  const made = await client.POST("/api/tenants/{tenantId}/rules", {
    params: { path: { tenantId } },
    headers: { "X-CSRF-Token": me.data.csrfToken },
    body: { title: "Wrap errors", instruction: "Say what was attempted.", severity: "medium" },
  });
  if (made.error) {
    throw new Error(made.error.errors?.map((e) => `${e.pointer} ${e.message}`).join("\n") ?? made.error.detail);
  }
  await client.PATCH("/api/tenants/{tenantId}/rules/{ruleId}", {
    params: { path: { tenantId, ruleId: made.data.id }, header: { "If-Match": `"v${made.data.version}"` } },
    body: { matcher: null, enabled: false },
  });
  const list = await client.GET("/api/tenants/{tenantId}/rules", { params: { path: { tenantId }, query: { limit: 10 } } });
  return list.data?.items ?? [];
}

// @ts-expect-error a severity that the description does not have
export const wrong: components["schemas"]["RuleCreate"] = { title: "x", instruction: "x", severity: "urgent" };
