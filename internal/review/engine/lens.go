package engine

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// lens is what a pass over a part of the change looks for. Its text is a prompt of
// that name, behind what all passes over the part share.
type lens string

// The lenses. Passes with the general one are those whose agreement counts.
const (
	lensGeneral  lens = "general"  // whatever goes wrong
	lensRules    lens = "rules"    // violations of the repository's rules
	lensSecurity lens = "security" // what somebody gains who may not
	lensContract lens = "contract" // what breaks for callers, and for what is left behind
)

// author reports whether a pass may see what the author says about the change. A
// change that is called harmless is believed to be: framing it as free of bugs cost
// models up to 93 points of what they find (arXiv 2603.18740).
func (l lens) author() bool { return l == lensGeneral || l == lensRules }

// aim is one of the passes that a depth makes over each part of a change.
type aim struct {
	lens   lens
	number int    // among those of the lens, from 0
	tier   string // of the model
}

// aimsOf are the passes of a depth, the ones that matter most first: where there is no
// room for all of them, the last go.
func aimsOf(tier string) []aim {
	switch tier {
	case tierT1:
		return []aim{{lensGeneral, 0, ask.TierStandard}}
	case tierT2:
		return []aim{{lensGeneral, 0, ask.TierStrong}, {lensRules, 0, ask.TierStandard}}
	case tierT3, tierT4:
		return []aim{{lensGeneral, 0, ask.TierStrong}, {lensRules, 0, ask.TierStandard}, {lensSecurity, 0, ask.TierStrong}, {lensContract, 0, ask.TierStandard}, {lensGeneral, 1, ask.TierStrong}}
	}
	return nil
}

// concern reports whether a part has anything that a lens looks at: rules that concern
// it; code or configuration that runs, which tests do not; a symbol that behaves
// otherwise for those who use it, or is gone.
func (p prompts) concern(l lens, c change.Chunk) bool {
	switch l {
	case lensRules:
		given, _ := rulesOf(p.rules, c, p.rooms.rules)
		return len(given) > 0
	case lensSecurity:
		return slices.ContainsFunc(c.Targets, func(t *change.Target) bool { return attackable(t.File.Class) })
	case lensContract:
		return slices.ContainsFunc(p.symbols(c), func(s *around.Symbol) bool { return s.Effect > around.NoEffect })
	}
	return true
}

// attackable reports whether a file of a class can have a defect of security. Files
// that no model sees are none of the others.
func attackable(c diff.Class) bool {
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

// beginning names the changed line with which a further pass of a lens begins: of two
// passes the second begins in the middle. "" for the first.
func beginning(c change.Chunk, number int) string {
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

// text is what a pass is told to look for. Where the rules are looked at by a pass of
// their own, the general one leaves them out.
func (l lens) text(apart bool) string {
	name := string(l)
	if l == lensGeneral && apart {
		name = "defects"
	}
	return textOf("lens-" + name)
}

// lensTokens is how much room the longest text of a lens takes with what stands
// around it, in estimated tokens.
func lensTokens() (most int) {
	for _, l := range []lens{lensGeneral, lensRules, lensSecurity, lensContract} {
		most = max(most, llm.EstimateTokens(len(l.text(false))), llm.EstimateTokens(len(l.text(true))))
	}
	return most
}

// name is what prompts call a pass: a lens, and which of its passes, from the second on.
func (l aim) name() string {
	if l.number == 0 {
		return string(l.lens)
	}
	return string(l.lens) + "-" + strconv.Itoa(l.number+1)
}
