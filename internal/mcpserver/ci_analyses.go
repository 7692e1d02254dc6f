package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// CIAnalysisWanted is the input of get_ci_analysis.
type CIAnalysisWanted struct {
	Place
	Analysis    string `json:"analysis,omitempty" jsonschema:"Id of one analysis"`
	PullRequest int    `json:"pullRequest,omitempty" jsonschema:"Number of a pull request: the newest analyses of its failed jobs"`
}

// CIAnalyses are analyses of failed jobs. Their texts are from outside.
type CIAnalyses struct {
	Items []CIAnalysis `json:"items"`
}

// CIAnalysis explains a failed job as tools show it.
type CIAnalysis struct {
	ID           string       `json:"id"`
	PullRequest  int          `json:"pullRequest"`
	HeadSHA      string       `json:"headSha"`
	Job          string       `json:"job"`
	URL          string       `json:"url,omitempty" jsonschema:"The job at its system"`
	State        string       `json:"state" jsonschema:"queued, running, completed, failed or cancelled"`
	Reason       string       `json:"reason,omitempty" jsonschema:"Why it failed, was cancelled, or is less than was wished"`
	Tool         string       `json:"tool,omitempty"`
	Cause        string       `json:"cause"`
	Relation     string       `json:"relation" jsonschema:"caused, unrelated or unclear; empty before the end"`
	Suggestion   string       `json:"suggestion,omitempty"`
	Evidence     []CIEvidence `json:"evidence" jsonschema:"Quotations that stand in the log or the change"`
	Method       string       `json:"method,omitempty" jsonschema:"pattern or model: how the cause was found"`
	Facts        []string     `json:"facts,omitempty" jsonschema:"What the host says besides a log"`
	Notes        []string     `json:"notes,omitempty" jsonschema:"What was cut or dropped"`
	Flaky        bool         `json:"flaky" jsonschema:"The same job failed and passed on this commit"`
	FailedBefore int64        `json:"failedBefore,omitempty" jsonschema:"Earlier failures of this job"`
	FlakyBefore  int64        `json:"flakyBefore,omitempty" jsonschema:"Those of them that passed when repeated"`
	OnBase       string       `json:"onBase,omitempty" jsonschema:"failed or passed: the end of the job on the base"`
	NoLog        string       `json:"noLog,omitempty" jsonschema:"Why there is no log"`
	Log          string       `json:"log,omitempty" jsonschema:"Kept lines with their numbers; of one analysis that is named by its id"`
}

// CIEvidence is a quotation that supports a cause.
type CIEvidence struct {
	Source string `json:"source" jsonschema:"log or diff"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line"`
	Text   string `json:"text"`
}

// newestAnalyses is how many analyses get_ci_analysis returns for a pull request (design choice).
const newestAnalyses = 10

func (s *Service) ciAnalysis(v store.CIAnalysis) CIAnalysis {
	out := CIAnalysis{ID: v.ID, PullRequest: v.Number, HeadSHA: v.HeadSHA, Job: s.line(v.Job), URL: v.URL,
		State: string(v.State), Reason: v.Reason,
		Tool: v.Tool, Cause: s.paragraph(v.Cause), Relation: v.Relation, Suggestion: s.paragraph(v.Suggestion), Evidence: []CIEvidence{},
		Method: v.Method,
		Notes:  store.FromJSON[[]string](v.Notes), Flaky: v.Flaky, FailedBefore: v.FailedBefore, FlakyBefore: v.FlakyBefore,
		OnBase: v.OnBase, NoLog: v.NoLog}
	for _, f := range store.FromJSON[[]string](v.Facts) {
		out.Facts = append(out.Facts, s.paragraph(f))
	}
	for _, e := range store.FromJSON[[]domain.CIEvidence](v.Evidence) {
		out.Evidence = append(out.Evidence, CIEvidence{Source: e.Source, Path: s.line(e.Path), Line: e.Line, Text: s.logLine(e.Text)})
	}
	return out
}

// paragraph returns an untrusted text of some sentences in one line, without secrets and invisible characters.
func (s *Service) paragraph(text string) string {
	return strings.Join(strings.Fields(s.text(text)), " ")
}

// logLine is [Service.code] with a mark where the line is cut.
func (s *Service) logLine(text string) string {
	line := s.code(text)
	if len(line) > maxLine-utf8.UTFMax {
		line += "…"
	}
	return line
}

// markdown returns an analysis as lines.
func (v CIAnalysis) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) %s at %s: %s\nrelation: %s\n", v.ID, v.State, v.Job, v.HeadSHA, v.Cause, v.Relation)
	for _, more := range [][2]string{{"suggestion", v.Suggestion}, {"reason", v.Reason}, {"no log", v.NoLog}} {
		if more[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", more[0], more[1])
		}
	}
	for _, e := range v.Evidence {
		fmt.Fprintf(&b, "%s %s:%d: %s\n", e.Source, e.Path, e.Line, e.Text)
	}
	for _, more := range slices.Concat(v.Facts, v.Notes) {
		b.WriteString(more + "\n")
	}
	if v.Flaky {
		b.WriteString("The job also passed on this commit.\n")
	}
	return b.String() + v.Log + "\n"
}

// logText writes the kept lines of a log with their numbers.
func (s *Service) logText(lines []domain.CILogLine) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Line == 0 {
			fmt.Fprintf(&b, "… %d lines left out …\n", l.LeftOut)
			continue
		}
		fmt.Fprintf(&b, "%d: %s\n", l.Line, s.logLine(l.Text))
	}
	return b.String()
}

func getCIAnalysis(ctx context.Context, v *visit, in CIAnalysisWanted) (CIAnalyses, string, error) {
	out := CIAnalyses{Items: []CIAnalysis{}}
	if in.Analysis != "" {
		if err := checkID(in.Analysis); err != nil {
			return out, "", err
		}
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return out, "", err
	}
	if in.Analysis != "" {
		row, err := v.Store.CIAnalysis(ctx, v.Tenant, at.ID, in.Analysis)
		if err != nil {
			return out, "", err
		}
		one := v.ciAnalysis(row)
		one.Log = v.logText(store.FromJSON[[]domain.CILogLine](row.Log))
		out.Items = append(out.Items, one)
	} else {
		rows, err := v.Store.CIAnalyses(ctx, v.Tenant, at.ID, store.CIFilter{Number: in.PullRequest, Limit: newestAnalyses})
		if err != nil {
			return out, "", err
		}
		for _, r := range rows {
			out.Items = append(out.Items, v.ciAnalysis(r))
		}
	}
	var b strings.Builder
	for _, i := range out.Items {
		b.WriteString(i.markdown())
	}
	text := pluralize(len(out.Items), "analysis of a failed job.", "analyses of failed jobs.")
	if len(out.Items) > 0 {
		text += "\n" + fenced(b.String())
	}
	return out, text, nil
}
