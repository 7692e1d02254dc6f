package engine

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/diff"
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

// concern reports whether a part has anything that a lens looks at: rules that concern
// it; code or configuration that runs, which tests do not; a symbol that behaves
// otherwise for those who use it, or is gone.
func (p prompts) concern(l finding.Lens, c change.Chunk) bool {
	switch l {
	case finding.LensRules:
		given, _ := rulesOf(p.rules, c, p.rooms.rules)
		return len(given) > 0
	case finding.LensSecurity:
		return slices.ContainsFunc(c.Targets, func(t *change.Target) bool { return isAttackable(t.File.Class) })
	case finding.LensContract:
		return slices.ContainsFunc(p.symbols(c), func(s *around.Symbol) bool { return s.Effect > around.NoEffect })
	}
	return true
}

// isAttackable reports whether a file of a class can have a security defect. The other classes are tests, and
// files that no model sees.
func isAttackable(c diff.Class) bool {
	switch c {
	case diff.ClassSource, diff.ClassMigration, diff.ClassCI, diff.ClassConfig:
		return true
	}
	return false
}

// symbols are those of a part that the change touches.
func (p prompts) symbols(c change.Chunk) []*around.Symbol {
	first := len(p.all) > 0 && len(p.all[0].Targets) > 0 && len(c.Targets) > 0 && p.all[0].Targets[0].File == c.Targets[0].File
	return p.related.SymbolsOf(c, first)
}

// passStart names the changed line at which a further pass of a lens begins: the second of two passes begins in the
// middle. It returns "" for the first.
func passStart(c change.Chunk, number int) string {
	if number == 0 {
		return ""
	}
	var lines []string
	for _, t := range c.Targets {
		for _, h := range t.Hunks {
			for _, l := range h.Lines {
				switch l.Op {
				case diff.Add:
					lines = append(lines, fmt.Sprintf("%s, line %d", change.CleanPath(t.File.Path), l.New))
				case diff.Delete:
					lines = append(lines, fmt.Sprintf("%s, removed line %d", change.CleanPath(t.File.Path), l.Old))
				}
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)*number/(number+1)]
}

// lensText is what a pass is told to look for. Where the rules are looked at by a pass of
// their own, the general one leaves them out.
func lensText(l finding.Lens, apart bool) string {
	name := string(l)
	if l == finding.LensGeneral && apart {
		name = "defects"
	}
	return textOf("lens-" + name)
}

// lensTokens is how much room the longest text of a lens takes with what stands
// around it, in estimated tokens.
func lensTokens() (most int) {
	for _, l := range []finding.Lens{finding.LensGeneral, finding.LensRules, finding.LensSecurity, finding.LensContract} {
		most = max(most, llm.EstimateTokens(len(lensText(l, false))), llm.EstimateTokens(len(lensText(l, true))))
	}
	return most
}
