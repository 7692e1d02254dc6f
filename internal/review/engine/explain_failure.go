package engine

import (
	"context"
	"encoding/json"
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
	minQuote       = 4      // characters without white space
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
// without a quotation of the change becomes "unclear". Errors are those of [Engine.Classify].
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
	if err != nil || strings.TrimSpace(a.Cause) == "" {
		return out, fmt.Errorf("explain a failed job: %w: %w", ask.ErrAnswer, err)
	}
	out.Cause = clip.Bytes(change.OneLine(a.Cause), domain.MaxCICause)
	out.Suggestion = clip.Bytes(change.OneLine(a.Suggestion), domain.MaxCISuggestion)
	for _, q := range a.Evidence {
		e, found := in.locate(q.Source, q.Path, change.UnwrapQuote(q.Quote))
		if !found || len(out.Evidence) >= domain.MaxCIEvidence {
			out.Dropped++
		} else if !slices.Contains(out.Evidence, e) {
			out.Evidence = append(out.Evidence, e)
		}
	}
	if out.Relation = strings.ToLower(strings.TrimSpace(a.Relation)); !slices.Contains(domain.CIRelations(), out.Relation) {
		out.Relation = domain.CIUnclear
	}
	fromDiff := func(e domain.CIEvidence) bool { return e.Source == "diff" }
	if out.Relation == domain.CICaused && !slices.ContainsFunc(out.Evidence, fromDiff) ||
		out.Relation == domain.CIUnrelated && len(out.Evidence) == 0 {
		out.Relation = domain.CIUnclear
	}
	return out, nil
}

// locate returns the line of the log or of the change with a quotation, white space aside, and false if it stands nowhere.
func (in FailureInput) locate(source, path, quote string) (domain.CIEvidence, bool) {
	want := change.StripSpace(quote)
	if len([]rune(want)) < minQuote {
		return domain.CIEvidence{}, false
	}
	if source != "diff" {
		for _, l := range in.Log {
			if l.Line > 0 && strings.Contains(change.StripSpace(l.Text), want) {
				return domain.CIEvidence{Source: "log", Line: l.Line, Text: l.Text}, true
			}
		}
		return domain.CIEvidence{}, false
	}
	for _, f := range in.files() {
		if path != "" && f.Path != path {
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if strings.Contains(change.StripSpace(l.Text), want) {
					return domain.CIEvidence{Source: "diff", Path: f.Path, Line: max(l.New, l.Old), Text: clip.Bytes(l.Text, 500)}, true
				}
			}
		}
	}
	return domain.CIEvidence{}, false
}

func (in FailureInput) files() []*diff.File {
	if in.Change == nil {
		return nil
	}
	return in.Change.Files
}

// failureLog writes the log for a model, with the numbers of its lines, within bounds: from the end if it is too long.
func failureLog(in FailureInput) string {
	var lines []string
	size := 0
	for _, l := range slices.Backward(in.Log) {
		line := fmt.Sprintf("%d: %s\n", l.Line, change.ShowLine(l.Text))
		if l.Line == 0 {
			line = fmt.Sprintf("… %d lines left out …\n", l.LeftOut)
		}
		if size += len(line); size > maxFailureLog {
			lines = append(lines, "… earlier lines left out …\n")
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	for _, f := range in.Facts {
		lines = append(lines, change.OneLine(change.CleanProse(f))+"\n")
	}
	return strings.Join(lines, "")
}

// failureDiff writes the change for a model within bounds: the shortest files first, because more of them fit. left is the number
// of files that did not.
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
