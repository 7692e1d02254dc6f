import { useQuery } from "@tanstack/react-query";
import { tokenize, type HunkData, type HunkTokens } from "react-diff-view";
import { colouring, languageOf } from "./languages";

/** A line that is longer is shown without colours, and the lines that stand beside it: generated and minified code. */
const longest = 1000;

/** Most characters of a piece. Grammars are regular expressions, and some need quadratic time. */
const most = 30_000;

type Colouring = Awaited<ReturnType<typeof colouring>>;

/** The colouring for a file, once it is loaded; undefined before, and for files without one. */
export function useColouring(path: string): { language: string; by: Colouring } | undefined {
  const language = languageOf(path);
  const { data } = useQuery({ queryKey: ["colouring", language], queryFn: () => colouring(language), enabled: language !== "", staleTime: Infinity, gcTime: Infinity, retry: false });
  return data && { language, by: data };
}

/**
 * Colours a piece of a change. Each side is parsed alone, from the first shown line, so a comment or a
 * long text that began above may get other colours than in an editor.
 */
export function colour(piece: HunkData, how: { language: string; by: Colouring } | undefined): HunkTokens | null {
  if (!how || piece.changes.some((c) => c.content.length > longest) || piece.changes.reduce((n, c) => n + c.content.length, 0) > most) return null;
  // The diff view knows the answer of an older version: the nodes without their root.
  const highlight = (text: string, language: string) => how.by.highlight(text, language).children;
  return tokenize([piece], { highlight: true, refractor: { highlight } as never, language: how.language });
}
