package analysers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/analysers/rules"
)

// Bounds of one start of ast-grep (design choices). The first one gets half of the time, and the starts after a failure little of it:
// a file that uses up its time must leave time for the others.
const (
	firstShare   = 2  // the first start gets the time divided by it
	nextShare    = 8  // a start with half of the files gets the time of the failed one divided by it
	minShare     = 60 // each start gets at least the time divided by it, so that slow machines end a start without a failure
	minStartTime = time.Second / 2
)

// refusedRule is the exit code of ast-grep for a rule file that it cannot read (tried with 0.51.1).
const refusedRule = 8

// whyPatternFailed begins the reason in [PatternOutcome.Left] for files that make ast-grep fail. [Reason.Words] ends it.
const whyPatternFailed = "rules were not matched against the file with ast-grep"

// patternStart is a part of a search: patterns, by their places in the request, and files.
type patternStart struct {
	patterns []int
	files    []File
	time     time.Duration // at most
}

// patternSearch matches the patterns of a request. A start that fails is repeated with each half of its files, and at last with each
// pattern for a single file, so that hostile files and patterns do not affect others.
type patternSearch struct {
	runner   *Runner
	analyser Analyser
	request  PatternRequest
	until    time.Time
	minTime  time.Duration // of a start
	waiting  []patternStart
	last     []patternStart // single files with single patterns, which wait until all halves were tried
	refused  map[int]bool   // patterns
	done     map[int]bool   // patterns that were matched against a file
	missed   map[int]Reason // patterns that were not matched against a file, with the first reason
	over     Reason         // why no further start can succeed
	hits     []PatternHit
	left     []LeftOut
}

func newPatternSearch(r *Runner, a Analyser, q PatternRequest) *patternSearch {
	whole := min(a.Time, q.Time)
	s := &patternSearch{runner: r, analyser: a, request: q, until: time.Now().Add(whole), minTime: max(minStartTime, whole/minShare),
		refused: map[int]bool{}, done: map[int]bool{}, missed: map[int]Reason{}}
	first := patternStart{files: q.Files, time: whole / firstShare}
	for i := range q.Patterns[:min(len(q.Patterns), maxPatterns)] {
		first.patterns = append(first.patterns, i)
	}
	if len(first.patterns) == 1 && len(q.Files) == 1 {
		first.time = whole
	}
	s.waiting = []patternStart{first}
	return s
}

// run does all starts. The errors are those of [Runner.Run].
func (s *patternSearch) run(ctx context.Context) error {
	for len(s.waiting)+len(s.last) > 0 {
		if len(s.waiting) == 0 {
			s.waiting, s.last = s.last, nil
		}
		p := s.waiting[0]
		s.waiting = s.waiting[1:]
		p.patterns = slices.DeleteFunc(slices.Clone(p.patterns), func(i int) bool { return s.refused[i] })
		if len(p.patterns) == 0 {
			continue
		}
		p.time = min(p.time, time.Until(s.until))
		if s.over == "" && p.time < minStartTime/5 {
			s.over = Time
		}
		if s.over != "" {
			s.miss(p, s.over)
			continue
		}
		if err := s.start(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// start starts ast-grep once and decides about a failure.
func (s *patternSearch) start(ctx context.Context, p patternStart) error {
	ended, hits, err := s.match(ctx, p)
	if err != nil {
		return err
	}
	part := p
	part.time = max(p.time/nextShare, s.minTime)
	switch n := len(p.files); {
	case ended.Failure == "":
		s.hits = append(s.hits, hits...)
		for _, i := range p.patterns {
			s.done[i] = true
		}
		for _, l := range ended.Left {
			s.leave(l)
		}
	case slices.Contains([]Reason{NoProgram, Version, Sandbox}, ended.Failure):
		s.over = ended.Failure
		s.miss(p, s.over)
	case ended.Failure == Exit && len(p.patterns) == 1: // refused, see match
		s.refused[p.patterns[0]], s.missed[p.patterns[0]] = true, Exit
	case ended.Failure == Exit:
		part.time = p.time
		s.waiting = append(s.waiting, part.alone()...)
	case n > 1:
		for _, files := range [][]File{p.files[:n/2], p.files[n/2:]} {
			part.files = files
			s.waiting = append(s.waiting, part)
		}
	case len(p.patterns) > 1:
		s.last = append(s.last, part.alone()...)
	default:
		s.miss(p, ended.Failure)
	}
	return nil
}

// alone returns a start for each pattern.
func (p patternStart) alone() (out []patternStart) {
	for _, i := range p.patterns {
		out = append(out, patternStart{[]int{i}, p.files, p.time})
	}
	return out
}

// match starts ast-grep once. [Exit] in the outcome means that it refuses a pattern; each other failure may be caused by a file.
func (s *patternSearch) match(ctx context.Context, p patternStart) (out Outcome, hits []PatternHit, err error) {
	made, err := newWorkFolder()
	if err != nil {
		return out, nil, err
	}
	defer made.remove()
	folder := made.path
	if err := writePatterns(folder, s.request.Patterns, p.patterns); err != nil {
		return out, nil, fmt.Errorf("write patterns: %w", err)
	}
	a := s.analyser
	a.Time, a.Rules, a.Format, a.Codes = p.time, folder, FormatMatches, nil
	a.Command = []string{"scan", "--config", placeRules + "/" + rules.Config, "--json=stream", placeFiles}
	out, err = s.runner.analyse(ctx, a, p.files, Request{Read: s.request.Read})
	if err != nil || out.Failure != "" {
		if out.Failure == Exit && out.Code != refusedRule {
			out.Failure = Crash
		}
		return out, nil, err
	}
	for _, run := range out.Document.Runs {
		if run.CutResults > 0 || len(s.hits)+len(run.Results) > s.runner.patternHits() {
			out.Failure = Output
			return out, nil, nil
		}
		for _, v := range run.Results {
			if i, ok := patternOf(v, p.patterns); ok {
				hits = append(hits, PatternHit{Pattern: i, Path: v.Path, First: v.StartLine, Last: v.EndLine, About: v.Message})
			}
		}
	}
	return out, hits, nil
}

// miss records patterns that were not matched against files.
func (s *patternSearch) miss(p patternStart, why Reason) {
	for _, i := range p.patterns {
		if s.missed[i] == "" {
			s.missed[i] = why
		}
	}
	for _, f := range p.files {
		s.leave(LeftOut{f.Path, whyPatternFailed + ": " + why.Words()})
	}
}

// leave names a file once.
func (s *patternSearch) leave(l LeftOut) {
	if !slices.ContainsFunc(s.left, func(o LeftOut) bool { return o.Path == l.Path }) {
		s.left = append(s.left, l)
	}
}

// failures returns the reasons of [PatternOutcome.Failures].
func (s *patternSearch) failures() []Reason {
	out := make([]Reason, min(len(s.request.Patterns), maxPatterns))
	for i := range out {
		if !s.done[i] || s.refused[i] {
			out[i] = s.missed[i]
		}
	}
	return out
}
