import { useEffect, useRef } from "react";
import { Kbd, Modal, Switch, Table } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { text } from "@/texts";
import { findings } from "@/texts/findings";
import { enters } from "./keys";
import { navigationFor, pagesOf, type Viewer } from "./navigation";
import { useSingleKeys } from "./preferences";

const patience = 1500; // in ms, between the two keys of a shortcut

/** Shortcuts of keys, and the list of them. */
export function Shortcuts({ viewer }: { viewer: Viewer }) {
  const [single, setSingle] = useSingleKeys();
  const [open, { open: show, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const since = useRef(0); // when "g" was pressed; 0: it was not

  useEffect(() => {
    if (!single) return;
    const pressed = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || enters(e.target)) return;
      const follows = e.timeStamp - since.current < patience && since.current > 0;
      since.current = 0;
      if (e.key === "?") {
        show();
        return;
      }
      if (e.key === "g") {
        since.current = e.timeStamp;
        return;
      }
      const entry = follows ? pagesOf(navigationFor(viewer)).find((s) => s.key === e.key) : undefined;
      if (entry) {
        e.preventDefault();
        void navigate({ to: entry.to, params: { tenantId: viewer.tenantId } });
      }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [single, show, navigate, viewer]);

  return (
    <Modal opened={open} onClose={close} title={text.shortcuts.title} closeButtonProps={{ "aria-label": text.common.close }}>
      <Table mb="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{text.shortcuts.key}</Table.Th>
            <Table.Th scope="col">{text.shortcuts.does}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Row keys={["Ctrl", "K"]} does={text.shortcuts.palette} />
          <Row keys={["?"]} does={text.shortcuts.open} />
          <Row keys={["j", "k"]} does={findings.keys.move} />
          <Row keys={["x"]} does={findings.keys.select} />
          <Row keys={["e"]} does={findings.keys.dismiss} />
          {pagesOf(navigationFor(viewer)).map((e) => e.key && <Row key={e.to} keys={["g", e.key]} does={text.shortcuts.go(e.label)} />)}
        </Table.Tbody>
      </Table>
      <Switch checked={single} onChange={(e) => setSingle(e.currentTarget.checked)} label={text.shortcuts.single} description={text.shortcuts.singleHint} />
    </Modal>
  );
}

function Row({ keys, does }: { keys: readonly string[]; does: string }) {
  return (
    <Table.Tr>
      <Table.Td>
        {keys.map((k) => (
          <Kbd key={k} mr={4}>
            {k}
          </Kbd>
        ))}
      </Table.Td>
      <Table.Td>{does}</Table.Td>
    </Table.Tr>
  );
}
