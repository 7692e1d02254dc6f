package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of the rules that one call gets: an enumeration in a schema of strict
// structured outputs may have 1,000 values in all and 15,000 characters beyond 250
// of them (OpenAI, structured outputs, supported schemas), and the text of the
// rules must leave room for the change.
const (
	MaxRules      = 40
	MaxRuleTokens = 6_000
)

// Concerns reports whether a rule is about a file, by its path and by its language as
// [diff.File.Language] has it.
func (r Rule) Concerns(path, language string) bool {
	return r.scope().Covers(path, language)
}

func (r Rule) scope() check.Scope {
	return check.Scope{Paths: r.Paths, Except: r.Except, Languages: r.Languages}
}

// Tokens estimates what the rule costs in each prompt that it is given in: nothing if a pattern checks it.
func (r Rule) Tokens() int {
	if r.Matcher != nil {
		return 0
	}
	return llm.EstimateTokens(len(ruleLine(r)))
}

// rulesOf returns the rules that concern a file of a chunk, mandatory ones first,
// as far as they fit into so many tokens, and those for which there is no room.
func rulesOf(all []Rule, c change.Chunk, room int) (given, left []Rule) {
	var concern []Rule
	for _, r := range all {
		if slices.ContainsFunc(c.Targets, func(t *change.Target) bool { return r.Concerns(t.File.Path, t.File.Language) }) {
			concern = append(concern, r)
		}
	}
	slices.SortStableFunc(concern, func(a, b Rule) int { return finding.TrueFirst(a.Mandatory, b.Mandatory) })
	for _, r := range concern {
		if room -= r.Tokens(); room < 0 || len(given) == MaxRules {
			left = append(left, r)
			room = min(room, 0) // what follows is less important
			continue
		}
		given = append(given, r)
	}
	return given, left
}

func ruleLine(r Rule) string {
	line := fmt.Sprintf("- %s%s (%s): %s. %s", repoPrefix, change.OneLine(r.ID), r.Severity, change.OneLine(r.Title),
		change.OneLine(r.Instruction))
	if len(r.Paths) > 0 {
		line += " Only in: " + change.OneLine(strings.Join(r.Paths, ", "))
	}
	if len(r.Except) > 0 {
		line += " Not in: " + change.OneLine(strings.Join(r.Except, ", "))
	}
	return line + "\n"
}

// writeRules writes the rules for a prompt, and behind them as data the sentences of
// guideline files.
func writeRules(b *strings.Builder, g ask.Guard, rules []Rule) {
	var own, guidelines strings.Builder
	for _, r := range rules {
		if r.File == "" {
			own.WriteString(ruleLine(r))
		} else {
			guidelines.WriteString(ruleLine(r))
		}
	}
	if own.Len() > 0 {
		b.WriteString(textOf("rules") + own.String() + "\n")
	}
	if guidelines.Len() > 0 {
		b.WriteString(textOf("conventions") + g.Wrap("guidelines of the repository", guidelines.String()) + "\n")
	}
}

// visibleRules takes secrets and invisible text out of the rules that a file of the repository has.
func (w *work) visibleRules(ctx context.Context, rules []Rule) ([]Rule, error) {
	out := slices.Clone(rules)
	for i, r := range out {
		if r.File == "" {
			continue
		}
		for _, text := range []*string{&out[i].Title, &out[i].Instruction} {
			clean, err := w.visible(ctx, r.File, []byte(*text))
			if err != nil {
				return nil, err
			}
			*text = string(clean)
		}
	}
	return out, nil
}

// maxNamed is how many rules a notice names.
const maxNamed = 10

// applicable returns the rules that concern a file of the change.
func applicable(rules []Rule, set *diff.Set) []Rule {
	var out []Rule
	for _, r := range rules {
		for _, f := range set.Files {
			if r.Concerns(f.Path, f.Language) {
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// leftOutRules says which rules a model did not get for some part of the change;
// "" where it got all.
func leftOutRules(all []Rule, parts []change.Chunk, room int) string {
	left := map[string]bool{}
	for _, c := range parts {
		_, over := rulesOf(all, c, room)
		for _, r := range over {
			left[r.ID] = true
		}
	}
	var names []string
	for _, r := range all {
		if left[r.ID] && !slices.Contains(names, change.OneLine(r.Title)) { // of a guideline file, once
			names = append(names, change.OneLine(r.Title))
		}
	}
	switch n := len(names) - maxNamed; {
	case len(names) == 0:
		return ""
	case n > 0:
		names = append(names[:maxNamed], fmt.Sprintf("%d more", n))
	}
	return wording.English(wording.NoticeRules, MaxRules, room, strings.Join(names, ", "))
}
