package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/match"
)

// CodeMatcher matches patterns of code by the ast-grep of the operator; see [analysers.Runner.Match].
type CodeMatcher interface {
	Match(ctx context.Context, q analysers.PatternRequest) (analysers.PatternOutcome, error)
}

// FoundCode has the places that ast-grep has found for a rule.
type FoundCode struct {
	Why   string               // as in [Result.Unmatched]; "" if the rule was matched
	Files map[string]FoundFile // by the path at the head
}

// FoundFile has the places in both versions of a file.
type FoundFile struct {
	Now, Base []match.Hit // at most [match.MaxHits] each
	Partly    bool        // not all of the file was matched
}

// MatchCode returns the rules of the options. Those with a pattern that needs ast-grep have the places that it finds in their
// files of the diff. It starts ast-grep, so that it must not run in a child process of the checks. Without a matcher, such
// rules are marked as not matched. Errors are those of the source other than fs.ErrNotExist, and of the context.
func MatchCode(ctx context.Context, set *diff.Set, src Source, opt Options, m CodeMatcher) ([]Rule, error) {
	s := codeSearch{set: set, src: src}
	out := slices.Clone(opt.Rules)
	for i, r := range out {
		if pattern, err := match.Compile(r.Matcher); err == nil && pattern.NeedsProgram() {
			s.rules = append(s.rules, &matchedRule{Rule: r, pattern: pattern})
			s.at = append(s.at, i)
		}
	}
	if len(s.rules) == 0 {
		return out, nil
	}
	s.choose(opt.LeftOut)
	found := analysers.PatternOutcome{Failures: make([]analysers.Reason, len(s.rules))}
	switch {
	case m == nil:
		for i := range found.Failures {
			found.Failures[i] = analysers.Absent
		}
	case len(s.request.Files) > 0:
		var err error
		if found, err = m.Match(ctx, s.request); err != nil {
			return nil, err
		}
	}
	for k, r := range s.rules {
		out[s.at[k]].Found = s.found(k, r, found)
	}
	return out, nil
}

// codeSearch is the work of [MatchCode].
type codeSearch struct {
	set     *diff.Set
	src     Source
	rules   []*matchedRule
	at      []int // their places among all rules
	request analysers.PatternRequest
	files   map[string]codeVersion // by the path in the request
}

// codeVersion is a version of a file. The paths of requests do not contain those of the change.
type codeVersion struct {
	file *diff.File
	side domain.Side
	path string
}

// choose makes the request, with both versions of each file that a rule concerns.
func (s *codeSearch) choose(leftOut []string) {
	s.files = map[string]codeVersion{}
	s.request.Time, s.request.Read = maxRulesTime, s.read
	for _, r := range s.rules {
		s.request.Patterns = append(s.request.Patterns,
			analysers.Pattern{Language: strings.ToLower(r.Matcher.Language), Code: r.Matcher.Pattern})
	}
	put := func(name string, v codeVersion) {
		s.files[name] = v
		s.request.Files = append(s.request.Files, analysers.File{Path: name, Language: v.file.Language})
	}
	for i, f := range s.set.Files {
		if slices.Contains(leftOut, f.Path) || !slices.ContainsFunc(s.rules, func(r *matchedRule) bool { return r.concerns(f) }) {
			continue
		}
		end := analysers.PatternEnding(f.Language, f.Path)
		put(fmt.Sprintf("head/%d%s", i, end), codeVersion{f, domain.Right, f.Path})
		if base := f.BasePath(); base != "" {
			put(fmt.Sprintf("base/%d%s", i, end), codeVersion{f, domain.Left, base})
		}
	}
}

// read returns a version of a file. An older version that is absent is empty.
func (s *codeSearch) read(ctx context.Context, name string) ([]byte, error) {
	v := s.files[name]
	if s.src == nil {
		return nil, fs.ErrNotExist
	}
	b, err := s.src.Blob(ctx, v.side, v.path)
	if v.side == domain.Left && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// found returns the places of one rule.
func (s *codeSearch) found(k int, r *matchedRule, all analysers.PatternOutcome) *FoundCode {
	out := &FoundCode{Files: map[string]FoundFile{}}
	switch all.Failures[k] {
	case "":
	case analysers.Exit:
		out.Why = UnmatchedPattern
		return out
	case analysers.Time:
		out.Why = UnmatchedTime
		return out
	default:
		out.Why = UnmatchedProgram
		return out
	}
	for _, h := range all.Hits {
		v := s.files[h.Path]
		if h.Pattern != k || v.file == nil || !r.concerns(v.file) {
			continue
		}
		f := out.Files[v.file.Path]
		hits := &f.Now
		if v.side == domain.Left {
			hits = &f.Base
		}
		if len(*hits) == match.MaxHits {
			f.Partly = true
		} else {
			*hits = append(*hits, match.Hit{First: h.First, Last: h.Last, About: h.About})
		}
		out.Files[v.file.Path] = f
	}
	for _, l := range all.Left {
		if v := s.files[l.Path]; v.file != nil && r.concerns(v.file) {
			f := out.Files[v.file.Path]
			f.Partly = true
			out.Files[v.file.Path] = f
		}
	}
	return out
}

// faultsOf returns the places of a file that the change has added, among those that ast-grep has found.
func (c *FoundCode) faultsOf(r *matchedRule, f *diff.File) (out []fault, why string) {
	found := c.Files[f.Path]
	if found.Partly {
		why = WhyRuleBound
	}
	byLine := func(a, b match.Hit) int { return a.First - b.First }
	slices.SortStableFunc(found.Now, byLine)
	slices.SortStableFunc(found.Base, byLine)
	return newFaults(f, r.codeFaults(f, found.Now), r.codeFaults(f, found.Base)), why
}
