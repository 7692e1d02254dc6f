import { useState } from "react";
import { Button, Group, NumberInput, Stack, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ok } from "@/api/client";
import { ifMatch, pricesQuery } from "@/api/models";
import { asProblem } from "@/api/problem";
import { keys, type Schemas } from "@/api/queries";
import { text } from "@/texts";
import { routing as texts, tierNames } from "@/texts/models";
import { confirm } from "@/ui/confirm";
import { FormModal } from "@/ui/FormModal";
import { money } from "@/ui/format";
import { notice } from "@/ui/notice";
import { Outside } from "@/ui/Outside";
import { Scroll } from "@/ui/Scroll";
import { OriginMark } from "@/ui/OriginMark";
import { StateMark } from "@/ui/StateMark";
import { Trouble } from "@/ui/Trouble";
import { entered, isAmount, models, valuesOf, withoutPrice, withPrice } from "./pricing";

type List = Schemas["TenantLlmPriceList"];
type Model = ReturnType<typeof models>[number];

/** The prices of the models in use, with the form for entering them. */
export function Prices({ tenantId, list, hard }: { tenantId: string; list: List; hard: boolean }) {
  const client = useQueryClient();
  const [edited, edit] = useState<Model>();
  const all = models(list.routed);
  const missing = all.filter((m) => !m.price).length;
  const put = useMutation({
    mutationFn: (items: List["items"]) => ok(api.PUT("/api/tenants/{tenantId}/llm-prices", { params: { path: { tenantId }, header: ifMatch(list) }, body: { items } })),
    onSuccess: (now) => {
      client.setQueryData(pricesQuery(tenantId).queryKey, now);
      void client.invalidateQueries({ queryKey: keys.tenant(tenantId, "llm-models") });
      edit(undefined);
      notice(text.form.saved);
    },
  });
  const ask = (m: Model) =>
    confirm({
      title: texts.dropTitle(m.model),
      says: texts.dropSays,
      does: texts.dropPrice,
      then: () => put.mutate(withoutPrice(list.items, m.kind, m.model)),
    });
  const price = (micros: number | undefined) => (micros === undefined ? texts.priceUnknown : (money(micros, list.embedded.currency) ?? texts.priceUnknown));
  return (
    <Stack gap="sm">
      <Text size="sm">{texts.pricesSays(list.embedded.source, list.embedded.date)}</Text>
      <Text size="sm">{texts.hardSays}</Text>
      {missing > 0 && (
        <div className={hard ? "note bad" : "note"}>
          <Text>{texts.missing(missing)}</Text>
        </div>
      )}
      {all.length === 0 ? (
        <Text>{texts.noneInUse}</Text>
      ) : (
        <Scroll label={texts.prices} width={560}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{texts.model}</Table.Th>
                <Table.Th scope="col">{texts.tier}</Table.Th>
                <Table.Th scope="col" className="numbers">
                  {texts.input} <Per />
                </Table.Th>
                <Table.Th scope="col" className="numbers">
                  {texts.output} <Per />
                </Table.Th>
                <Table.Th scope="col">{texts.from}</Table.Th>
                <Table.Th scope="col">{texts.act}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {all.map((m) => {
                const own = entered(list.items, m.kind, m.model);
                return (
                  <Table.Tr key={`${m.kind} ${m.model}`}>
                    <Table.Td>
                      <Outside says={m.model} />
                    </Table.Td>
                    <Table.Td>{[...new Set(m.uses.map((u) => (u.repository ? `${tierNames[u.use]} (${u.repository})` : tierNames[u.use])))].join(", ")}</Table.Td>
                    <Table.Td className="numbers">{price(m.price?.inputMicros)}</Table.Td>
                    <Table.Td className="numbers">{price(m.price?.outputMicros)}</Table.Td>
                    <Table.Td>
                      {m.price ? (
                        <OriginMark origin={own ? "tenant" : "default"} here={own}>
                          {own ? texts.entered : texts.known}
                        </OriginMark>
                      ) : (
                        <StateMark tone="warn">{texts.priceUnknown}</StateMark>
                      )}
                    </Table.Td>
                    <Table.Td>
                      <Group gap="xs">
                        <Button size="compact-sm" variant="default" aria-label={`${m.price ? texts.changePrice : texts.enterPrice}: ${m.model}`} onClick={() => edit(m)}>
                          {m.price ? texts.changePrice : texts.enterPrice}
                        </Button>
                        {own && (
                          <Button size="compact-sm" variant="default" aria-label={`${texts.dropPrice}: ${m.model}`} onClick={() => ask(m)}>
                            {texts.dropPrice}
                          </Button>
                        )}
                      </Group>
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Scroll>
      )}
      {put.isError && !edited && <Trouble error={put.error} />}
      <FormModal title={edited && texts.priceTitle(edited.model)} open={edited !== undefined} close={() => edit(undefined)}>
        {() => edited && (
          <PriceForm
            model={edited}
            busy={put.isPending}
            error={put.error}
            reload={() => void client.invalidateQueries({ queryKey: pricesQuery(tenantId).queryKey }).then(() => put.reset())}
            save={(values) => put.mutate(withPrice(list.items, edited.kind, edited.model, values, new Date()))}
          />
        )}
      </FormModal>
    </Stack>
  );
}

/** The unit of a column. */
const Per = () => (
  <Text size="xs" c="dimmed" fw={400}>
    {texts.per}
  </Text>
);

const fields = ["input", "output", "cacheRead", "cacheWrite"] as const;

function PriceForm({ model, busy, error, reload, save }: { model: Model; busy: boolean; error: unknown; reload: () => void; save: (values: ReturnType<typeof valuesOf>) => void }) {
  const [values, set] = useState(() => valuesOf(model.price));
  const ready = isAmount(values.input) && isAmount(values.output);
  const conflict = error !== null && asProblem(error).status === 412;
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (ready) save(values);
      }}
    >
      <Stack>
        <Text size="sm">{texts.priceHelp}</Text>
        {error !== null && !conflict && <Trouble error={error} />}
        {conflict && (
          <div className="note bad" role="alert">
            <Text>{text.form.conflict}</Text>
            <Button size="xs" variant="default" onClick={reload}>
              {text.trouble.again}
            </Button>
          </div>
        )}
        {fields.map((f) => (
          <NumberInput
            key={f}
            label={texts[f]}
            {...(f.startsWith("cache") ? { description: texts.cacheHelp } : { required: true })}
            prefix="$"
            min={0}
            max={1_000_000}
            decimalScale={6}
            hideControls
            autoComplete="off"
            value={values[f]}
            onChange={(v) => set({ ...values, [f]: v })}
          />
        ))}
        <Group>
          <Button type="submit" loading={busy} disabled={!ready}>
            {text.form.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
