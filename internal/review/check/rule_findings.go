package check

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/wording"
)

// sightings returns the findings of all rules. A rule with many places has one finding for the last of them together.
func (m *ruleMatching) sightings(set *diff.Set) (out []sighting) {
	for _, r := range m.rules {
		for i, p := range r.places[:min(len(r.places), maxRulePlaces)] {
			out = append(out, r.sighting(set, r.places[i:i+1], p, r.Instruction))
		}
		if rest := r.places[min(len(r.places), maxRulePlaces):]; len(rest) > 0 {
			says := r.Instruction
			if len(rest) > 1 {
				says = wording.English(wording.SayRulePlaces, len(rest)-1, says)
			}
			out = append(out, r.sighting(set, rest, rest[0], says))
		}
	}
	return out
}

func (r *matchedRule) sighting(set *diff.Set, places []rulePlace, first rulePlace, says string) sighting {
	var about []string
	for _, p := range places {
		about = append(about, clip.Line(p.about))
	}
	f := set.Files[first.file]
	s := sightingOf(domain.Finding{
		Origin: domain.OriginRule, RuleID: domain.RulePrefix + r.ID, Category: domain.CategoryRule, Severity: r.Severity,
		Title: clip.Line(r.Title), Explanation: says, Anchor: Place(f, first.line, first.line),
		Subject: strings.Join(about, "\x00"), FirstPlace: about[0],
	})
	s.file = first.file
	return s
}

// Bounds of [MatchRule] (design choices).
const (
	maxTriedFiles  = 500
	maxTriedPlaces = 200
)

// RuleMatches are the places that a rule's pattern finds in the files of a change.
type RuleMatches struct {
	Files    int           // that were matched
	Hits     int           // places at the head, on changed lines or not
	Reported int           // places that a review reports
	Places   []MatchedLine // reported places first, else in the order of the diff; at most 200
	Partly   bool          // not all of the change was matched
	// Unmatched says why the rule was not matched at all, as [Result.Unmatched] does; "" if it was.
	Unmatched string
}

// MatchedLine is a place that a pattern finds.
type MatchedLine struct {
	Path     string
	Line     int
	Reported bool
}

// MatchRule matches a rule against the whole of the changed files, at most 500. It stops when the context ends, which is not an
// error. programs matches patterns that need ast-grep. Errors are those of the source other than fs.ErrNotExist, and of the rule's
// pattern.
func MatchRule(ctx context.Context, set *diff.Set, src Source, rule Rule, programs CodeMatcher) (out RuleMatches, err error) {
	rules, err := MatchCode(ctx, set, src, Options{Rules: []Rule{rule}}, programs)
	if err != nil && ctx.Err() == nil {
		return out, err
	} else if err != nil {
		return RuleMatches{Partly: true}, nil
	}
	m := newRuleMatching(Options{Rules: rules})
	if len(m.rules) == 0 {
		_, err := match.Compile(rule.Matcher)
		return RuleMatches{Unmatched: m.unmatched[rule.ID]}, err
	}
	r := m.rules[0]
	for i, f := range set.Files {
		if !r.concerns(f) {
			continue
		}
		if out.Files == maxTriedFiles || ctx.Err() != nil {
			out.Partly = true
			break
		}
		out.Files++
		before := len(r.places)
		why, err := m.file(ctx, i, f, src)
		if err != nil && ctx.Err() == nil {
			return out, err
		}
		out.Partly = out.Partly || why != "" || err != nil
		out.add(f, r.places[before:], r.all(ctx, f, src))
	}
	out.Partly = out.Partly || len(m.unmatched) > 0
	slices.SortStableFunc(out.Places, func(a, b MatchedLine) int { return compareTrueFirst(a.Reported, b.Reported) })
	return out, nil
}

// all returns the lines of a file at the head that the pattern matches, as far as they can be read.
func (r *matchedRule) all(ctx context.Context, f *diff.File, src Source) (lines []int) {
	if r.pattern.NeedsProgram() {
		for _, h := range r.Found.Files[f.Path].Now {
			lines = append(lines, h.First)
		}
		return lines
	}
	content, err := head(ctx, src, f.Path)
	if err != nil {
		return nil
	}
	hits, _ := r.pattern.Hits(ctx, match.NewFile(content)) // file has reported what was not matched
	for _, h := range hits {
		lines = append(lines, h.First)
	}
	return lines
}

// add counts the places of a file.
func (m *RuleMatches) add(f *diff.File, reported []rulePlace, all []int) {
	m.Reported += len(reported)
	m.Hits += max(len(all), len(reported))
	put := func(line int, reported bool) {
		if len(m.Places) < maxTriedPlaces {
			m.Places = append(m.Places, MatchedLine{f.Path, line, reported})
		}
	}
	shown := map[int]bool{}
	for _, p := range reported {
		put(p.line, true)
		shown[p.line] = true
	}
	for _, line := range all {
		if !shown[line] {
			put(line, false)
		}
	}
}

func compareTrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
