import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMayManageTenant } from "@/api/roles";
import { rules as texts } from "@/texts/rules";
import { Empty } from "@/ui/Empty";
import { Loaded } from "@/ui/Loaded";
import { Page } from "@/ui/Page";
import { Trouble } from "@/ui/Trouble";
import { useFilters } from "@/ui/useFilters";
import { allRulesQuery } from "./place";
import { Opened } from "./Opened";
import "./rules.css";
import { readSearch } from "./route";
import { RuleTable } from "./RuleTable";
import { useRules } from "./useRules";

const route = getRouteApi("/t/$tenantId/rules");

/** The rules of a tenant, which reviews of all its repositories have. */
export function RulesPage() {
  const { tenantId } = route.useParams();
  const [{ edit }] = useFilters(readSearch);
  const navigate = route.useNavigate();
  const place = { tenantId };
  const query = useQuery(allRulesQuery(place));
  const mayChange = useMayManageTenant(tenantId);
  const { changed, remove, error } = useRules(place);
  const open = (rule?: string) => void navigate({ search: rule === undefined ? {} : { edit: rule } });
  const make = mayChange ? (
    <Button onClick={() => open("new")} disabled={edit === "new"}>
      {query.data?.length === 0 ? texts.noneAction : texts.make}
    </Button>
  ) : undefined;
  return (
    <Page title={texts.title} actions={query.data?.length === 0 ? undefined : make}>
      <Text>{texts.says}</Text>
      {!mayChange && <Text>{texts.readOnly}</Text>}
      {error && <Trouble error={error} />}
      <Loaded query={query} lines={6}>
        {(rows) => (
          <>
            {mayChange && edit !== undefined && <Opened key={edit} edit={edit} place={place} rules={rows} close={() => open()} changed={changed} />}
            {rows.length === 0 && edit === undefined && <Empty says={texts.none} action={make} />}
            {rows.length > 0 && <RuleTable caption={texts.caption} rows={rows} changes={mayChange ? { may: () => true, edit: (r) => open(r.id), remove } : undefined} />}
            <Text size="sm" c="dimmed">
              {texts.limits(rows.length)}
            </Text>
          </>
        )}
      </Loaded>
    </Page>
  );
}
