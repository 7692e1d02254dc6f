import { Code, Group, Stack, Text } from "@mantine/core";
import { place } from "@/pages/run/grouping";
import { SeverityMark } from "@/pages/run/SeverityMark";
import { dryRun as texts } from "@/texts/dryrun";
import { run } from "@/texts/run";
import { category } from "@/texts/terms";
import type { Schemas } from "@/api/queries";
import { Outside } from "@/ui/Outside";
import { Prose } from "@/ui/Prose";
import type { Tried } from "./queries";

const at = (f: Tried) => place({ path: f.path, startLine: f.startLine ?? 0, endLine: f.endLine ?? 0 });

/** One finding that a dry run made, or that a review had. Its words are text from outside. */
function One({ of: f }: { of: Tried }) {
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <SeverityMark severity={f.severity} />
        <span className="wrap-anywhere"><Outside says={f.title} /></span>
      </Group>
      <Group gap="xs">
        {f.path !== "" && <Code className="wrap-anywhere">{at(f)}</Code>}
        <Text size="sm" c="dimmed">
          {[category(f.category), f.ruleId, run.findings.confidence(f.confidence), run.findings.route(f.route)].filter((s) => s !== "").join(" · ")}
        </Text>
      </Group>
      {f.explanation && <Prose className="outside" says={f.explanation} />}
    </Stack>
  );
}

/** Findings under a heading that is unfolded; without any there is nothing. */
export function TriedList({ says, of, open = false }: { says: string; of: readonly Tried[]; open?: boolean }) {
  if (of.length === 0) return null;
  return (
    <details open={open}>
      <summary>{says}</summary>
      <ul className="plain-list">
        {of.map((f, i) => (
          <li key={i}>
            <One of={f} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Findings that would be shown otherwise, each with what differs. */
export function ChangedList({ of }: { of: readonly Schemas["TriedChange"][] }) {
  if (of.length === 0) return null;
  return (
    <details open>
      <summary>{texts.changedOf(of.length)}</summary>
      <ul className="plain-list">
        {of.map((c, i) => (
          <li key={i}>
            <Text size="sm">{texts.differs(c.fields.map((f) => texts.fields[f] ?? f).join(", "))}</Text>
            <Text size="sm" fw={650}>
              {texts.was}
            </Text>
            <One of={c.before} />
            <Text size="sm" fw={650}>
              {texts.becomes}
            </Text>
            <One of={c.after} />
          </li>
        ))}
      </ul>
    </details>
  );
}
