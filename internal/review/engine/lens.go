package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// seesAuthor reports whether a pass may see what the author says about the change. A
// change that is called harmless is believed to be: framing it as free of bugs cost
// models up to 93 points of the weaknesses that they find (arXiv 2603.18740).
func seesAuthor(l finding.Lens) bool { return l == finding.LensGeneral || l == finding.LensRules }

// passesOf returns the passes of a depth, the most important first: where there is no room for all of them, the last ones
// are left out.
func passesOf(tier string) []finding.Pass {
	pass := func(l finding.Lens, number int, tier string) finding.Pass {
		return finding.Pass{Lens: l, Number: number, Tier: tier}
	}
	switch tier {
	case tierT1:
		return []finding.Pass{pass(finding.LensGeneral, 0, ask.TierStandard)}
	case tierT2:
		return []finding.Pass{pass(finding.LensGeneral, 0, ask.TierStrong), pass(finding.LensRules, 0, ask.TierStandard)}
	case tierT3, tierT4:
		return []finding.Pass{pass(finding.LensGeneral, 0, ask.TierStrong), pass(finding.LensRules, 0, ask.TierStandard),
			pass(finding.LensSecurity, 0, ask.TierStrong), pass(finding.LensContract, 0, ask.TierStandard),
			pass(finding.LensGeneral, 1, ask.TierStrong)}
	}
	return nil
}

// A part with fewer hunks and fewer changed lines gets no second general pass: on small parts such passes found nothing
// (design choice by a measurement on 38 changes).
const secondPassHunks, secondPassLines = 2, 40

// concern reports whether a part has anything that a pass looks at: rules that concern it; something that an
// attacker reaches; a use, outside the change, of a symbol that behaves otherwise or is gone. A second general pass
// needs a part in which the first one can overlook something.
func (p prompts) concern(l finding.Pass, c change.Chunk) bool {
	switch l.Lens {
	case finding.LensRules:
		given, _ := rulesOf(p.rules, c, p.rooms.rules)
		return len(given) > 0
	case finding.LensSecurity:
		return slices.ContainsFunc(c.Targets, hasSurface)
	case finding.LensContract:
		return p.level != ContextNone && slices.ContainsFunc(p.symbols(c), p.isUsedOutside)
	}
	lines := 0
	for _, t := range c.Targets {
		lines += change.ChangedLines(t.Hunks)
	}
	return l.Number == 0 || c.HunkCount() >= secondPassHunks || lines >= secondPassLines
}

// isUsedOutside reports whether a line that the change leaves as it was uses a symbol that behaves otherwise or is gone.
func (p prompts) isUsedOutside(s *around.Symbol) bool {
	return s.Effect > around.NoEffect && slices.ContainsFunc(p.related.Relations.Uses[s], func(at around.Place) bool {
		f := p.set.File(at.Path)
		return f == nil || !change.HasChanged(f, domain.Right, at.Line, at.Line)
	})
}

// subjects are what a part lacks for which a pass was not made.
var subjects = map[finding.Lens]string{finding.LensRules: "no rule concerns the change", finding.LensSecurity: "no input, path, query, " +
	"process, cryptography, session, template or workflow on the changed lines", finding.LensContract: "no use outside the change is known",
	finding.LensGeneral: "parts of one hunk with few lines"}

// passesMade names the passes over so many parts in words, and the passes that had no subject in any of them.
func passesMade(depth []finding.Pass, passes []pass, without map[finding.Pass]int, parts int) string {
	made, left := []string{}, []string{}
	for _, l := range depth {
		n := 0
		for _, ps := range passes {
			if ps.Pass == l {
				n++
			}
		}
		switch {
		case n == parts:
			made = append(made, l.Name())
		case n > 0:
			made = append(made, fmt.Sprintf("%s in %d of %d parts", l.Name(), n, parts))
		case without[l] == parts:
			left = append(left, l.Name()+" ("+subjects[l.Lens]+")")
		}
	}
	out := "passes: " + strings.Join(made, ", ")
	if len(left) > 0 {
		out += "; not made: " + strings.Join(left, ", ")
	}
	return out
}

// symbols are those of a part that the change touches.
func (p prompts) symbols(c change.Chunk) []*around.Symbol {
	first := len(p.all) > 0 && len(p.all[0].Targets) > 0 && len(c.Targets) > 0 && p.all[0].Targets[0].File == c.Targets[0].File
	return p.related.SymbolsOf(c, first)
}

// passStart names the added line at which a further pass of a lens begins: the second of two passes begins in the
// middle. It returns "" for the first, and for a part without added code.
func passStart(c change.Chunk, number int) string {
	if number == 0 {
		return ""
	}
	var lines []string
	for _, t := range c.Targets {
		for _, h := range t.Hunks {
			for _, l := range h.Lines {
				if l.Op == diff.Add && strings.TrimSpace(l.Text) != "" {
					lines = append(lines, fmt.Sprintf("%s, line %d", change.CleanPath(t.File.Path), l.New))
				}
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)*number/(number+1)]
}

// lensText is what a pass over a part is told to look for. The general pass is told about rules only if some are listed,
// and leaves them to a pass of their own.
func (ps pass) lensText(rules []Rule) string {
	name := string(ps.Lens)
	switch {
	case ps.Lens != finding.LensGeneral:
	case ps.apart:
		name = "defects"
	case len(rules) > 0:
		name = "general-rules"
	}
	return textOf("lens-" + name)
}

// maxTold is the most bytes of the list of earlier findings of a part that a further pass is told.
const maxTold = 2_000

// told lists what a general pass found, for the next one over the part: place, kind and title of each.
func told(found []candidate) string {
	var b strings.Builder
	for _, c := range found {
		title := clip.Runes(change.OneLine(change.StripInvisible(c.Title)), finding.MaxTitle, "…")
		if c.Repeats { // words of a tool of others
			title = ""
		}
		kind := clip.Runes(change.OneLine(change.StripInvisible(c.RuleKey)), finding.MaxTitle, "…")
		line := fmt.Sprintf("%s:%d-%d (%s) %s", change.CleanPath(clip.Bytes(change.OneLine(c.Path), maxTold/8)), c.Start, c.End, kind, title)
		if b.Len()+len(line) >= maxTold {
			b.WriteString("… and more\n")
			break
		}
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// lensTokens is how much room the longest text of a lens takes with what a further pass is told and with the words about
// earlier findings, in estimated tokens.
func lensTokens() (most int) {
	for _, t := range ownTexts() {
		if strings.HasPrefix(t.Name, "lens-") {
			most = max(most, llm.EstimateTokens(len(t.Text)))
		}
	}
	beside := len(textOf("found")) + maxTold + len(textOf("earlier")) + len(textOf("synopsis"))
	return most + llm.EstimateTokens(beside)
}
