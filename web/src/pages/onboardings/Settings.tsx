import { Table } from "@mantine/core";
import type { Schemas } from "@/api/queries";
import { onboarding as texts } from "@/texts/onboarding";
import { shown } from "./chosen";

/** The settings of a repository with who said them. */
export function Settings({ heading, of }: { heading: string; of: readonly Schemas["FeatureSetting"][] }) {
  return (
    <details>
      <summary>{heading}</summary>
      <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": heading } }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{texts.setting}</Table.Th>
              <Table.Th scope="col">{texts.value}</Table.Th>
              <Table.Th scope="col">{texts.origin}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {of.map((s) => (
              <Table.Tr key={s.name}>
                <Table.Th scope="row">
                  <code>{s.name}</code>
                </Table.Th>
                <Table.Td>{shown(s.value, texts.nothing)}</Table.Td>
                <Table.Td>{texts.origins[s.origin]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}
