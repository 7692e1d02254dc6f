import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import "react-diff-view/style/index.css";
import { run as texts } from "@/texts/run";
import { FindingCard } from "../FindingCard";
import type { RunLinks } from "../links";
import type { ChangedFile, Finding } from "../types";
import { opened } from "./convert";
import "./diff.css";
import { FileDiff } from "./FileDiff";

interface Props {
  files: readonly ChangedFile[];
  findings: readonly Finding[];
  links: RunLinks;
  /** Path in the address; "" without one. */
  asked: string;
  /** Reads the next files; null where there are no more. */
  more: (() => void) | null;
  busy: boolean;
}

/** The change of a run, file by file, with its findings. */
export default function Changes({ files, findings, links, asked, more, busy }: Props) {
  const paths = new Set(findings.map((f) => f.path));
  const first = opened(files.map((f) => ({ path: f.path, lines: f.hunks.reduce((n, h) => n + h.lines.length, 0) })), paths, asked);
  const [changed, setChanged] = useState<Readonly<Record<string, boolean>>>({});
  const isOpen = (path: string) => changed[path] ?? first.has(path);
  const here = new Set(files.map((f) => f.path));
  const elsewhere = more ? findings.filter((f) => f.path === "") : findings.filter((f) => !here.has(f.path));
  return (
    <Stack>
      {files.length === 0 && <Text>{texts.diff.empty}</Text>}
      {elsewhere.length > 0 && (
        <Stack gap="xs" component="section" aria-label={texts.diff.notHere}>
          <Text size="sm">{texts.diff.notHere}</Text>
          {elsewhere.map((f) => (
            <FindingCard key={f.id} finding={f} links={links} inChanges order={2} />
          ))}
        </Stack>
      )}
      {files.map((f) => (
        <FileDiff
          key={f.path}
          file={f}
          findings={findings.filter((one) => one.path === f.path)}
          links={links}
          open={isOpen(f.path)}
          toggle={() => setChanged({ ...changed, [f.path]: !isOpen(f.path) })}
        />
      ))}
      {more && (
        <Group>
          <Button variant="default" loading={busy} onClick={more}>
            {texts.diff.more}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
