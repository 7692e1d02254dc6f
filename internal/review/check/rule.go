package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Rule is a rule of people that a pattern checks.
type Rule struct {
	ID, Title, Instruction string
	Severity               domain.Severity
	Matcher                match.Spec
	Scope                  Scope
	Found                  *FoundCode // by [MatchCode], for patterns that need ast-grep
}

// Scope says which files a rule concerns.
type Scope struct {
	Paths     []string // globs; none means every path
	Except    []string // globs of paths that it does not concern
	Languages []string // lower-case names of [diff.File.Language]; none means every language
}

// Covers reports whether a file is in the scope, by its path and by its language as [diff.File.Language] has it.
func (s Scope) Covers(path, language string) bool {
	if len(s.Paths) > 0 && !glob.Any(s.Paths, path) || glob.Any(s.Except, path) {
		return false
	}
	return len(s.Languages) == 0 || slices.ContainsFunc(s.Languages, func(l string) bool { return strings.EqualFold(l, language) })
}

// Bounds of matching in one review (design choices).
const (
	maxRulePlaces = 20               // places of one rule with findings of their own; one more finding has the rest
	maxRuleTime   = 2 * time.Second  // for one rule
	maxRulesTime  = 30 * time.Second // for all rules, well below the time that a child may take without a message
)

// Reasons in the coverage of files that a rule's pattern was not matched against.
const (
	WhyRuleBroken = "faults of syntax, so that rules with a pattern of code were not matched"
	WhyRuleBound  = "too large or not at hand, so that rules with a pattern were not matched everywhere"
)

// Reasons in [Result.Unmatched].
const (
	UnmatchedTime    = "time"    // the rule took too long, or all rules together did
	UnmatchedPattern = "pattern" // its pattern cannot be read
	UnmatchedProgram = "program" // ast-grep is absent, cannot run here, failed or reached a bound
)

// ruleMatching matches the rules of one review.
type ruleMatching struct {
	rules     []*matchedRule
	leftOut   map[string]bool
	unmatched map[string]string
	left      time.Duration // for all rules
}

type matchedRule struct {
	Rule
	pattern *match.Pattern
	left    time.Duration
	places  []rulePlace
}

type rulePlace struct {
	file int // its place in the diff
	fault
}

func newRuleMatching(opt Options) *ruleMatching {
	m := &ruleMatching{left: maxRulesTime, leftOut: map[string]bool{}}
	for _, path := range opt.LeftOut {
		m.leftOut[path] = true
	}
	for _, r := range opt.Rules {
		pattern, err := match.Compile(r.Matcher)
		if err != nil {
			put(&m.unmatched, r.ID, UnmatchedPattern)
			continue
		}
		if pattern.NeedsProgram() && (r.Found == nil || r.Found.Why != "") {
			why := UnmatchedProgram
			if r.Found != nil {
				why = r.Found.Why
			}
			put(&m.unmatched, r.ID, why)
			continue
		}
		m.rules = append(m.rules, &matchedRule{Rule: r, pattern: pattern, left: maxRuleTime})
	}
	return m
}

// concerns reports whether the rule is matched against a file of the diff.
func (r *matchedRule) concerns(f *diff.File) bool {
	return f.Status != diff.Deleted && len(f.Hunks) > 0 && f.Class != diff.ClassSymlink && r.Scope.Covers(f.Path, f.Language) &&
		r.pattern.Reads(f.Language)
}

// file matches the rules against a file of the diff, and returns why some were not matched, or "".
func (m *ruleMatching) file(ctx context.Context, number int, f *diff.File, src Source) (unread string, err error) {
	if m.leftOut[f.Path] {
		return "", nil
	}
	versions := &fileVersions{f: f, src: src}
	for _, r := range m.rules {
		if !r.concerns(f) {
			continue
		}
		if min(m.left, r.left) <= 0 {
			put(&m.unmatched, r.ID, UnmatchedTime)
			continue
		}
		var took time.Duration
		faults, why, err := r.faults(ctx, versions, min(m.left, r.left), &took)
		r.left -= took
		m.left -= took
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			r.left = 0
			put(&m.unmatched, r.ID, UnmatchedTime)
			continue
		case err != nil:
			return "", err
		}
		unread = cmp.Or(unread, why)
		for _, d := range faults {
			r.places = append(r.places, rulePlace{number, d})
		}
	}
	return unread, nil
}

// fileVersions are the two versions of a file. They are read when the first rule needs them.
type fileVersions struct {
	f         *diff.File
	src       Source
	read      bool
	now, base *match.File
	unread    string // why the newer version cannot be matched
}

func (v *fileVersions) load(ctx context.Context) error {
	if v.read {
		return nil
	}
	now, err := head(ctx, v.src, v.f.Path)
	if err != nil {
		return err
	}
	var base []byte
	if v.src != nil {
		if base, err = baseOf(ctx, v.f, v.src); err != nil {
			return err
		}
	}
	v.read, v.now, v.base = true, match.NewFile(now), match.NewFile(base)
	if now == nil {
		v.unread = WhyRuleBound
	}
	return nil
}

// faults returns the places of a file that the change has added. why says that not all of the file was matched. used gets the time
// that the matching took, without that of reading.
func (r *matchedRule) faults(ctx context.Context, v *fileVersions, left time.Duration, used *time.Duration) (
	out []fault, why string, err error) {
	if r.pattern.NeedsProgram() {
		out, why = r.Found.faultsOf(r, v.f)
		return out, why, nil
	}
	if r.pattern.IsSyntax() {
		if err := v.load(ctx); err != nil || v.unread != "" {
			return nil, v.unread, err
		}
	}
	began := time.Now()
	defer func() { *used = time.Since(began) }()
	ctx, stop := context.WithTimeout(ctx, left)
	defer stop()
	if !r.pattern.IsSyntax() {
		now, old, why, err := r.lines(ctx, v.f)
		return newFaults(v.f, now, old), why, err
	}
	now, err := r.pattern.Hits(ctx, v.now)
	switch {
	case errors.Is(err, match.ErrBroken):
		return nil, WhyRuleBroken, nil
	case errors.Is(err, structure.ErrBound), errors.Is(err, match.ErrMore):
		why = WhyRuleBound
	case err != nil:
		return nil, "", err
	}
	old, err := r.pattern.Hits(ctx, v.base)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	return newFaults(v.f, r.codeFaults(v.f, now), r.codeFaults(v.f, old)), why, nil
}

// lines returns the added lines that the expression matches, and the removed ones. Lines that stay are in both versions, so that they
// need not be looked at.
func (r *matchedRule) lines(ctx context.Context, f *diff.File) (now, old []fault, why string, err error) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if ctx.Err() != nil {
				return nil, nil, "", ctx.Err()
			}
			text := strings.TrimSuffix(l.Text, "\r")
			if l.Op == diff.Add && r.pattern.TooLong(text) {
				why = WhyRuleBound
			}
			if l.Op != diff.Add && l.Op != diff.Delete || !r.pattern.MatchesLine(text) {
				continue
			}
			if l.Op == diff.Add {
				now = append(now, fault{line: l.New, about: match.AboutLine(l.Text)})
			} else {
				old = append(old, fault{line: l.Old, about: match.AboutLine(l.Text)})
			}
		}
	}
	return now, old, why, ctx.Err()
}

// codeFaults converts hits. A hit on several lines counts as added at the first of them that the change added.
func (r *matchedRule) codeFaults(f *diff.File, hits []match.Hit) (out []fault) {
	for _, h := range hits {
		d := fault{line: h.First, about: h.About}
		if line := addedWithin(f, h.First, h.Last); line > 0 {
			d.lines = []int{line}
		}
		out = append(out, d)
	}
	return out
}

// addedWithin returns the first added line from one line to another, or 0.
func addedWithin(f *diff.File, first, last int) int {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Add && l.New >= first && l.New <= last {
				return l.New
			}
		}
	}
	return 0
}
