import { Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { Diff, type DiffType, Hunk as HunkRows } from "react-diff-view";
import { run as texts } from "@/texts/run";
import { StateMark } from "@/ui/StateMark";
import { FindingCard } from "../FindingCard";
import { place } from "../grouping";
import type { RunLinks } from "../links";
import type { ChangedFile, Finding, Hunk } from "../types";
import { pieces, placed } from "./convert";
import { visible } from "@/ui/visible";
import { colour, useColouring } from "./tokens";

const types: Record<ChangedFile["status"], DiffType> = { added: "add", modified: "modify", deleted: "delete", renamed: "rename", copied: "copy" };

interface Props {
  file: ChangedFile;
  findings: readonly Finding[];
  links: RunLinks;
  open: boolean;
  toggle: () => void;
}

/** A file of the change with the findings below their lines. */
export function FileDiff({ file, findings, links, open, toggle }: Props) {
  const id = `file-${file.path}`;
  const hides = useMemo(() => file.hunks.some((h) => h.lines.some((l) => visible(l.text) !== l.text)), [file.hunks]);
  return (
    <Paper component="section" withBorder className="file-diff" aria-label={file.path} id={id}>
      <Group justify="space-between" p="xs" gap="xs">
        <Group gap="xs" wrap="wrap" className="wrap-anywhere">
          <Code fz="sm">{visible(file.path)}</Code>
          {file.oldPath && file.oldPath !== file.path && <Text size="sm">{texts.diff.from(visible(file.oldPath))}</Text>}
          <Text size="sm">{texts.diff.status(file.status)}</Text>
          <Text size="sm" c="dimmed">
            {texts.diff.lines(file.additions, file.deletions)}
          </Text>
          {hides && <StateMark tone="warn">{texts.diff.hidden}</StateMark>}
          {findings.length > 0 && <StateMark tone="warn">{texts.findings.count(findings.length)}</StateMark>}
        </Group>
        <Button size="compact-sm" variant="default" onClick={toggle} aria-expanded={open} aria-label={texts.diff.toggle(open, file.path)}>
          {texts.diff.fold(open)}
        </Button>
      </Group>
      {open ? (
        <Lines file={file} findings={findings} links={links} />
      ) : (
        <Text p="xs" className="on-paper">
          {texts.diff.notPrinted}
        </Text>
      )}
    </Paper>
  );
}

function Lines({ file, findings, links }: Pick<Props, "file" | "findings" | "links">) {
  const where = useMemo(() => placed(findings, file.hunks), [findings, file.hunks]);
  const colours = useColouring(file.path);
  const about = (f: Finding) => <FindingCard key={f.id} finding={f} links={links} inChanges order={2} />;
  return (
    <>
      {where.elsewhere.length > 0 && (
        <Stack p="xs" gap="xs">
          <Text size="sm">{texts.diff.elsewhere}</Text>
          {where.elsewhere.map(about)}
        </Stack>
      )}
      {file.binary && <Text p="xs">{texts.diff.binary}</Text>}
      {file.omitted && <Text p="xs">{file.omitted}</Text>}
      {file.hunks.map((h, i) => (
        <HunkTables key={i} hunk={h} type={types[file.status]} at={where.at} about={about} colours={colours} />
      ))}
      {file.cut && <Text p="xs">{texts.diff.cut}</Text>}
    </>
  );
}

/** About what a line takes, in pixels, before it is laid out. */
const lineHeight = 18;

interface TableProps {
  hunk: Hunk;
  type: DiffType;
  at: ReadonlyMap<string, readonly Finding[]>;
  about: (f: Finding) => React.ReactNode;
  colours: ReturnType<typeof useColouring>;
}

/**
 * The tables of one hunk. Each is laid out only when it comes into view
 * (content-visibility), so that long changes stay usable.
 */
function HunkTables({ hunk, type, at, about, colours }: TableProps) {
  const parts = useMemo(() => pieces(hunk).map((part) => ({ part, tokens: colour(part, colours) })), [hunk, colours]);
  return parts.map(({ part, tokens }, i) => {
    const keys = part.changes.map((c) => (c.type === "insert" ? `I${c.lineNumber}` : c.type === "delete" ? `D${c.lineNumber}` : `N${c.oldLineNumber}`));
    const widgets: Record<string, React.ReactNode> = {};
    for (const key of keys) {
      const here = at.get(key);
      const first = here?.[0];
      if (here && first) {
        widgets[key] = (
          <Stack p="xs" gap="xs" role="group" aria-label={texts.diff.findingAt(place(first))}>
            {here.map(about)}
          </Stack>
        );
      }
    }
    return (
      <div key={i} className={Object.keys(widgets).length === 0 ? "hunk off-screen" : "hunk"} style={{ containIntrinsicSize: `auto ${part.changes.length * lineHeight + lineHeight}px` }} role="group" aria-label={part.content || texts.diff.goesOn}>
        {part.content !== "" && (
          <Text component="p" className="hunk-head" m={0}>
            {part.content}
          </Text>
        )}
        <Diff viewType="unified" diffType={type} hunks={[part]} widgets={widgets} tokens={tokens} optimizeSelection={false}>
          {(hunks) => hunks.map((h) => <HunkRows key={h.oldStart} hunk={h} />)}
        </Diff>
      </div>
    );
  });
}

