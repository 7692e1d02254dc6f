package sast

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/wording"
)

// Options are what a change tells about results beyond its lines.
type Options struct {
	Own    []domain.Finding         // of the other checks; a result about the same lines and the same subject is not repeated
	Redact func(text string) string // replaces the secrets of the change; nil: the change has no secrets
}

// Join compares documents with a change. The error is the context's.
func Join(ctx context.Context, set *diff.Set, inputs []Input, opt Options) (Outcome, error) {
	j := &join{set: set, opt: opt, seen: map[key]bool{}, notes: map[[2]string]*Note{}, out: Outcome{Analysers: map[string]bool{}}}
	if opt.Redact == nil {
		j.opt.Redact = func(text string) string { return text }
	}
	for _, in := range inputs {
		for _, n := range in.Notes() {
			j.note(n)
		}
		for _, run := range in.Document.Runs {
			if err := j.run(ctx, in, run); err != nil {
				return Outcome{}, err
			}
		}
	}
	return j.outcome(), nil
}

// join is one comparison under way.
type join struct {
	set   *diff.Set
	opt   Options
	seen  map[key]bool
	notes map[[2]string]*Note // by analyser and reason
	order []*Note
	out   Outcome
}

// key identifies a problem. Analysers that contain each other report one rule under one name.
type key struct {
	rule, path  string
	first, last int
}

func (j *join) run(ctx context.Context, in Input, run sarif.Run) error {
	name := cmp.Or(j.text(cmp.Or(in.Name, run.Tool), 80), "unnamed")
	a := Analysis{ID: in.ID, Source: in.Source, Name: name, Version: j.text(run.Version, 40),
		DurationMS: run.Duration.Milliseconds(), Failed: !run.Successful,
		Results: len(run.Results) + run.CutResults + run.Unreadable}
	p, unplaced := newPaths(in.Root, j.set, run), false
	for i, r := range run.Results {
		if i%100 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Suppressed {
			a.Suppressed++
			continue
		}
		rule := run.Rules[r.RuleID]
		r.RuleID = j.opt.Redact(r.RuleID)
		f, why := j.result(name, r, rule, p)
		unplaced = unplaced || why == WhyRoot
		switch {
		case why == whyOld:
			a.Old++
		case why != "":
			a.LeftOut++
			j.note(Note{Analyser: name, Why: why, Unit: UnitResults, Count: 1, Examples: []string{describePlace(name, r)}})
		default:
			a.New++
			j.out.New = append(j.out.New, f)
		}
	}
	for why, n := range map[string]int{WhyTooMany: run.CutResults, WhyUnreadable: run.Unreadable} {
		if n > 0 {
			a.LeftOut += n
			j.note(Note{Analyser: name, Why: why, Unit: UnitResults, Count: n})
		}
	}
	if a.Failed {
		j.note(Note{Analyser: name, Why: WhyFailed, Unit: UnitAnalysers, Count: 1, Examples: []string{strings.Join(run.Notes, "; ")}})
	}
	complete, known := j.out.Analysers[Slug(name)]
	j.out.Analysers[Slug(name)] = (complete || !known) && !a.Failed && !unplaced && run.CutResults+run.Unreadable == 0
	j.out.Old += a.Old
	j.out.Analyses = append(j.out.Analyses, a)
	return nil
}

// whyOld means that a result is not about an added line.
const whyOld = "old"

// result returns the finding for a result, or why it has no finding.
func (j *join) result(name string, r sarif.Result, rule sarif.Rule, p paths) (domain.Finding, string) {
	if r.Path == "" && !r.Outside {
		return domain.Finding{}, WhyNoPlace
	}
	at, why := p.inRepository(r.Path, r.Outside)
	if why != "" {
		return domain.Finding{}, why
	}
	f := j.set.File(at)
	switch {
	case f == nil, f.Status == diff.Deleted, r.Unchanged:
		return domain.Finding{}, whyOld
	case f.Omitted != "" || len(f.Hunks) == 0 && f.Binary:
		return domain.Finding{}, WhyNoLines
	}
	a := check.Place(f, 0, 0)
	if r.StartLine > 0 {
		first, last := addedLines(f, r.StartLine, r.EndLine)
		if first == 0 {
			return domain.Finding{}, whyOld
		}
		a = check.Place(f, first, last)
	} else if f.Status != diff.Added {
		return domain.Finding{}, WhyNoLine
	}
	out := domain.Finding{Origin: domain.OriginStatic, RuleID: ruleID(name, r.RuleID), Category: category(rule), Severity: severity(r, rule),
		Anchor: a, Verdict: domain.VerdictSkipped, Confidence: 1, State: domain.FindingOpen, Scope: "introduced"}
	if j.hasTwin(out) {
		return domain.Finding{}, WhyTwin
	}
	k := key{plain(r.RuleID, 120, "-_.:/@"), at, a.StartLine, a.EndLine}
	if j.seen[k] {
		return domain.Finding{}, WhyRepeated
	}
	j.seen[k] = true
	j.describe(&out, name, r, rule, p)
	return out, ""
}

// hasTwin reports whether another check has a finding about the same lines and the same subject.
func (j *join) hasTwin(f domain.Finding) bool {
	return f.Anchor.Level == domain.AnchorLine && slices.ContainsFunc(j.opt.Own, func(o domain.Finding) bool {
		return o.Anchor.Path == f.Anchor.Path && o.Anchor.Side == f.Anchor.Side && o.Anchor.Level == domain.AnchorLine &&
			o.Anchor.StartLine <= f.Anchor.EndLine && f.Anchor.StartLine <= o.Anchor.EndLine &&
			o.Severity >= f.Severity && anchor.Family(o.Category) == anchor.Family(f.Category)
	})
}

// maxSpan is how many lines of a result are looked at for an added one. A result about a long function is not new because of one
// new line at its end.
const maxSpan = 10

// addedLines returns the first run of added lines among the first lines of a result, or 0.
func addedLines(f *diff.File, start, end int) (first, last int) {
	end = min(end, start+maxSpan-1)
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch {
			case l.Op != diff.Add || l.New < start || l.New > end:
			case first == 0:
				first, last = l.New, l.New
			case l.New == last+1:
				last = l.New
			}
		}
	}
	return first, last
}

// describe fills in the texts and the evidence of a finding.
func (j *join) describe(out *domain.Finding, name string, r sarif.Result, rule sarif.Rule, p paths) {
	message := cmp.Or(j.text(r.Message, 700), j.text(rule.Short, 700), j.text(rule.Name, 700), j.text(r.RuleID, 700), "unnamed")
	title := message
	if i := strings.IndexAny(title, ".;"); i > 15 && i+1 < len(title) && title[i+1] == ' ' {
		title = title[:i]
	}
	out.Title = clip.Runes(title, 80, "…")
	id := j.text(r.RuleID, 80)
	out.Explanation = wording.English(wording.SayAnalyser, name, cmp.Or(id, "unnamed"), strings.TrimRight(message, "."))
	if rule.Help != "" {
		out.Evidence = append(out.Evidence, domain.Evidence{Kind: "tool", Note: rule.Help})
	}
	for _, s := range r.Flow {
		at, why := p.inRepository(s.Path, s.Outside)
		if why != "" || at == "" || s.StartLine == 0 || len(out.Evidence) > maxSteps {
			continue
		}
		out.Evidence = append(out.Evidence, domain.Evidence{Kind: "trace", Path: at, Start: s.StartLine, End: s.StartLine,
			Quote: j.lineAt(at, s.StartLine), Note: j.text(s.Message, 120)})
	}
}

// text returns text from outside in one visible line without secrets.
func (j *join) text(s string, n int) string {
	return clip.Runes(clip.Line(clip.Visible(j.opt.Redact(s))), n, "…")
}

// lineAt returns a line of the new version, if the diff shows it.
func (j *join) lineAt(name string, line int) string {
	f := j.set.File(name)
	if f == nil {
		return ""
	}
	if h, ok := f.Commentable(domain.Right, line); ok {
		for _, l := range h.Lines {
			if l.New == line {
				return clip.Bytes(j.opt.Redact(l.Text), 400)
			}
		}
	}
	return ""
}

// note adds a note to the one of the same analyser with the same reason. Examples are texts of strangers.
func (j *join) note(n Note) {
	at := j.notes[[2]string{n.Analyser, n.Why}]
	if at == nil {
		if len(j.order) == maxNotes {
			j.out.CutLeft += n.Count
			return
		}
		at = &Note{Analyser: n.Analyser, Why: n.Why, Unit: n.Unit}
		j.notes[[2]string{n.Analyser, n.Why}] = at
		j.order = append(j.order, at)
	}
	at.Count += n.Count
	for _, example := range n.Examples {
		if example = j.text(example, 200); example != "" && len(at.Examples) < maxNamed {
			at.Examples = append(at.Examples, example)
		}
	}
}

// describePlace names a result for people.
func describePlace(name string, r sarif.Result) string {
	out := ruleID(name, r.RuleID)
	if r.Path != "" {
		out += " in " + r.Path
	}
	return out
}

// outcome returns the result, with the most severe findings if there are too many.
func (j *join) outcome() Outcome {
	out := j.out
	if len(out.New) > MaxFindings {
		slices.SortStableFunc(out.New, func(a, b domain.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
		out.Cut = len(out.New) - MaxFindings
		for _, f := range out.New[MaxFindings:] {
			analyser, _ := domain.AnalyserOf(f.RuleID)
			out.Analysers[analyser] = false
		}
		out.New = out.New[:MaxFindings]
	}
	slices.SortStableFunc(out.New, func(a, b domain.Finding) int {
		return cmp.Or(cmp.Compare(j.set.Order(a.Anchor.Path), j.set.Order(b.Anchor.Path)), cmp.Compare(a.Anchor.StartLine, b.Anchor.StartLine))
	})
	for _, n := range j.order {
		out.LeftOut = append(out.LeftOut, *n)
	}
	return out
}
