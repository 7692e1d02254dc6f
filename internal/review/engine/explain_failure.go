package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// Bounds of the data by which a model explains a failed job (design choices).
const (
	maxFailureLog  = 40_000 // bytes
	maxFailureDiff = 40_000 // bytes
	minQuote       = 4      // characters of a quoted line without white space
	minPart        = 8      // the same of a quoted part of a line
	minLogLine     = 80     // bytes to which a line of the log is cut
	maxLookedUp    = 32     // quotations of an answer that are looked up
)

// FailureInput describes a failed job. All of it is text from outside, without secrets.
type FailureInput struct {
	Job, Tool string
	Log       []domain.CILogLine
	Facts     []string  // what the host says besides the log
	Change    *diff.Set // of the pull request; nil if it cannot be read
	Language  string    // BCP 47 tag of cause and suggestion
}

// FailureExplanation is a model's answer about a failed job. Evidence has only quotations that stand in the log or the change.
// Cause and Suggestion have at most twice their bounds in package domain, so that the caller replaces secrets before it cuts.
type FailureExplanation struct {
	Cause, Relation, Suggestion string
	Evidence                    []domain.CIEvidence
	Dropped                     int    // quotations that stand nowhere
	LeftOut                     int    // files of the change that the model did not see
	Model                       string // that was asked
}

// failureAnswer is the model's answer as it stands in the JSON.
type failureAnswer struct {
	Cause      string `json:"cause"`
	Relation   string `json:"relation"`
	Suggestion string `json:"suggestion"`
	Evidence   []struct {
		Source string `json:"source"`
		Path   string `json:"path"`
		Quote  string `json:"quote"`
	} `json:"evidence"`
}

func failureSchema() json.RawMessage {
	quote := ask.Object(ask.Schema{"source": ask.Enum("log", "diff"), "path": ask.String, "quote": ask.String})
	return ask.JSON(ask.Object(ask.Schema{"cause": ask.String, "evidence": ask.Array(quote), "relation": ask.Enum(domain.CIRelations()...),
		"suggestion": ask.String}))
}

// ExplainFailure asks the model of the tier standard why a job failed. The answer is kept before it is used. A relation "caused"
// without a quotation of a changed line becomes "unclear". Errors are those of [Engine.Classify].
func (e *Engine) ExplainFailure(ctx context.Context, models *ask.Models, in FailureInput) (FailureExplanation, error) {
	route, ok := models.Pick(ask.TierStandard)
	if !ok {
		return FailureExplanation{}, fmt.Errorf("explain a failed job: %w: no model is routed", ask.ErrAnswer)
	}
	out := FailureExplanation{Model: route.Model}
	s := newWork(e.deps, Input{Models: models})
	route.MaxOutputTokens /= 4 // the answer is short; the rest is room for what a model reasons
	text, left := failureDiff(in.Change)
	out.LeftOut = left
	type question struct{ Model, Job, Log, Diff, Language string }
	logText := failureLog(in)
	answer, err := ask.Stored(ctx, s.Session, "ci", question{route.Model, in.Job, logText, text, in.Language}, func() (string, error) {
		ans, err := s.Ask(ctx, "ci", route, ask.SystemText("failure", textOf("failure")+ask.LanguageRule(in.Language), s.Guard),
			[]llm.Message{{Role: llm.User, Text: s.Guard.Wrap("job", change.OneLine(change.CleanProse(in.Job))) +
				s.Guard.Wrap("log", logText) + s.Guard.Wrap("diff", text)}}, failureSchema())
		return ans.Text, err
	})
	if err != nil {
		return out, fmt.Errorf("explain a failed job: %w", err)
	}
	a, err := ask.ReadObject[failureAnswer](ask.Answer{Text: answer}, "cause")
	if err == nil && strings.TrimSpace(a.Cause) == "" {
		err = errors.New("it names no cause")
	}
	if err != nil {
		return out, fmt.Errorf("explain a failed job: %w: %w", ask.ErrAnswer, err)
	}
	out.Cause = clip.Bytes(change.OneLine(a.Cause), 2*domain.MaxCICause)
	out.Suggestion = clip.Bytes(change.OneLine(a.Suggestion), 2*domain.MaxCISuggestion)
	out.Dropped = max(0, len(a.Evidence)-maxLookedUp)
	ofChange := false
	for _, q := range a.Evidence[:min(len(a.Evidence), maxLookedUp)] {
		e, changed, found := in.locate(q.Source, q.Path, change.UnwrapQuote(q.Quote))
		if !found || len(out.Evidence) >= domain.MaxCIEvidence {
			out.Dropped++
			continue
		}
		if ofChange = ofChange || changed; !slices.Contains(out.Evidence, e) {
			out.Evidence = append(out.Evidence, e)
		}
	}
	if out.Relation = strings.ToLower(strings.TrimSpace(a.Relation)); !slices.Contains(domain.CIRelations(), out.Relation) {
		out.Relation = domain.CIUnclear
	}
	if out.Relation == domain.CICaused && !ofChange ||
		out.Relation == domain.CIUnrelated && len(out.Evidence) == 0 {
		out.Relation = domain.CIUnclear
	}
	return out, nil
}

// locate returns the line of the log or of the change with a quotation, white space aside, and false if it stands nowhere. A changed
// line goes before an unchanged one.
func (in FailureInput) locate(source, path, quote string) (at domain.CIEvidence, changed, found bool) {
	want := change.StripSpace(quote)
	size := len([]rune(want))
	has := func(line string) bool {
		line = change.StripSpace(line)
		return size >= minQuote && line == want || size >= minPart && strings.Contains(line, want)
	}
	if size < minQuote {
		return at, false, false
	}
	if source != "diff" {
		for _, l := range in.Log {
			if l.Line > 0 && has(l.Text) {
				return domain.CIEvidence{Source: "log", Line: l.Line, Text: l.Text}, false, true
			}
		}
		return at, false, false
	}
	for _, f := range in.files() {
		if path != "" && f.Path != path {
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if changed = l.Old == 0 || l.New == 0; (changed || !found) && has(l.Text) {
					at = domain.CIEvidence{Source: "diff", Path: f.Path, Line: max(l.New, l.Old), Text: clip.Bytes(l.Text, 500)}
					if found = true; changed {
						return at, true, true
					}
				}
			}
		}
	}
	return at, false, found
}

func (in FailureInput) files() []*diff.File {
	if in.Change == nil {
		return nil
	}
	return in.Change.Files
}

// failureLog writes the log for a model, with the numbers of its lines, within bounds. Long lines are cut before lines are left out,
// because the first failure is often the cause of the last.
func failureLog(in FailureInput) string {
	var facts strings.Builder
	for _, f := range in.Facts {
		facts.WriteString(change.OneLine(change.CleanProse(f)) + "\n")
	}
	each := maxFailureLog
	for {
		out := logLines(in.Log, each)
		if len(out) <= maxFailureLog {
			return out + facts.String()
		}
		if each /= 2; each < minLogLine {
			return clip.Bytes(out, maxFailureLog) + "\n… later lines left out …\n" + facts.String()
		}
	}
}

// logLines writes lines of a log with at most each bytes of their texts.
func logLines(log []domain.CILogLine, each int) string {
	var out strings.Builder
	for _, l := range log {
		if l.Line == 0 {
			fmt.Fprintf(&out, "… %d lines left out …\n", l.LeftOut)
			continue
		}
		text := clip.Bytes(l.Text, each)
		if len(text) < len(l.Text) {
			text += "…"
		}
		fmt.Fprintf(&out, "%d: %s\n", l.Line, change.ShowLine(text))
	}
	return out.String()
}

// failureDiff writes the change for a model within bounds: the shortest files first, because more of them fit. left counts the
// files that do not fit.
func failureDiff(set *diff.Set) (text string, left int) {
	if set == nil {
		return "", 0
	}
	files := slices.Clone(set.Files)
	slices.SortStableFunc(files, func(a, b *diff.File) int { return a.Additions + a.Deletions - b.Additions - b.Deletions })
	var out strings.Builder
	for _, f := range files {
		var b strings.Builder
		fmt.Fprintf(&b, "--- %s\n", change.ShowPath(f.Path))
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "@@ +%d @@\n", h.NewStart)
			for _, l := range h.Lines {
				sign := " "
				switch {
				case l.Old == 0:
					sign = "+"
				case l.New == 0:
					sign = "-"
				}
				b.WriteString(sign + change.ShowLine(l.Text) + "\n")
				if b.Len() > maxFailureDiff {
					break
				}
			}
		}
		if out.Len()+b.Len() > maxFailureDiff {
			left++
			continue
		}
		out.WriteString(b.String())
	}
	if left > 0 {
		fmt.Fprintf(&out, "… %d files left out …\n", left)
	}
	return out.String(), left
}
