import { useState } from "react";
import { useMutation } from "@tanstack/react-query";
import type { Answer } from "@/api/client";
import { asProblem, type Problem } from "@/api/problem";
import { text } from "@/texts";
import { settings as texts } from "@/texts/settings";
import { notice } from "@/ui/notice";
import { sentence } from "@/ui/format";
import { changesOf, meet, readSaid, say, settingAt, tidy, writeSaid, type Change } from "./document";
import type { Said, Value } from "./table";

/** A document of settings as the service has it. */
type Stored = Answer<unknown>;

interface Wants {
  names: readonly string[];
  stored: Stored;
  /** Sends a document in the place of the stored one. */
  send: (document: Record<string, unknown>, etag: string) => Promise<Stored>;
  /** Reads the newest document after another person has changed it. */
  read: () => Promise<Stored>;
  /** Receives the saved document. */
  saved: (now: Stored) => void;
}

/** The changes that another person has saved meanwhile. */
export interface Met {
  theirs: readonly Change[];
  both: readonly string[];
}

/** The errors of settings, as the service reports them. */
export type Faults = Readonly<Record<string, string>>;

export interface Settings {
  draft: Said;
  changes: readonly Change[];
  set: (name: string, value: Value | undefined) => void;
  drop: () => void;
  save: () => void;
  saving: boolean;
  faults: Faults;
  /** How often something was refused. */
  refusals: number;
  /** A refusal that is not of one setting. */
  problem: Problem | undefined;
  met: Met | undefined;
  seen: () => void;
  /** The document to send now. */
  document: () => Record<string, unknown>;
}

function faultsOf(names: readonly string[], problem: Problem): Faults {
  const out: Record<string, string> = {};
  for (const f of problem.fields) {
    const at = settingAt(names, f.pointer);
    if (!at) continue;
    const says = sentence(at.entry === undefined ? f.message : texts.entry(at.entry + 1, f.message));
    out[at.name] = out[at.name] ? `${out[at.name]} ${says}` : says;
  }
  return out;
}

/**
 * Changes a document of settings: a draft on top of the stored document, errors at their settings, and
 * another person's saved changes below the person's own.
 */
export function useSettings({ names, stored, send, read, saved }: Wants): Settings {
  const [edits, setEdits] = useState<{ base: Said; etag: string; draft: Said }>();
  const [faults, setFaults] = useState<Faults>({});
  const [refusals, setRefusals] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const [met, setMet] = useState<Met>();
  const now = edits ?? { base: readSaid(names, stored.data), etag: stored.etag, draft: readSaid(names, stored.data) };
  const clean = tidy(now.draft);
  const changes = changesOf(names, now.base, clean);

  const sent = useMutation({
    mutationFn: () => send(writeSaid(clean), now.etag),
    onMutate: () => {
      setProblem(undefined);
      setFaults({});
    },
    onSuccess: (answer) => {
      saved(answer);
      setEdits(undefined);
      setMet(undefined);
      notice(text.form.saved);
    },
    onError: async (error) => {
      const said = asProblem(error);
      if (said.status !== 412) {
        const known = faultsOf(names, said);
        setFaults(known);
        setRefusals((n) => n + 1);
        if (said.fields.length === 0 || said.fields.some((f) => !settingAt(names, f.pointer))) setProblem(said);
        return;
      }
      try {
        const newest = await read();
        const met = meet(names, now.base, readSaid(names, newest.data), clean);
        setEdits({ base: readSaid(names, newest.data), etag: newest.etag, draft: met.draft });
        setMet({ theirs: met.theirs, both: met.both });
      } catch (unread) {
        setProblem(asProblem(unread));
      }
    },
  });

  return {
    draft: now.draft,
    changes,
    set: (name, value) => {
      setFaults((all) => Object.fromEntries(Object.entries(all).filter(([of]) => of !== name)));
      setEdits({ ...now, draft: say(now.draft, name, value) });
    },
    drop: () => {
      setEdits(undefined);
      setFaults({});
      setProblem(undefined);
      setMet(undefined);
    },
    save: () => sent.mutate(),
    saving: sent.isPending,
    faults,
    refusals,
    problem,
    met,
    seen: () => setMet(undefined),
    document: () => writeSaid(clean),
  };
}
