package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/store"
)

// AnalysisRun is a run of static analysis as tools list it. Its names are text from outside.
type AnalysisRun struct {
	ID          string            `json:"id"`
	RunID       string            `json:"runId,omitempty" jsonschema:"Review that last used it, for get_review; absent before one"`
	HeadSHA     string            `json:"headSha"`
	Source      string            `json:"source" jsonschema:"review: the checks and analysers of a review; upload: a document of a pipeline"`
	State       string            `json:"state" jsonschema:"waiting, running, completed or failed"`
	Analysers   []AnalyserResults `json:"analysers"`
	NewFindings int64             `json:"newFindings" jsonschema:"On lines that the change adds"`
	OldFindings int64             `json:"oldFindings" jsonschema:"On other lines"`
	LeftOut     []AnalysisNote    `json:"leftOut" jsonschema:"Results that the review could not use"`
	CreatedAt   string            `json:"createdAt" jsonschema:"UTC"`
}

// AnalyserResults counts the results of an analyser.
type AnalyserResults struct {
	Name       string `json:"name"`
	Version    string `json:"version,omitempty"`
	Results    int    `json:"results" jsonschema:"In its document"`
	New        int    `json:"new" jsonschema:"Findings on lines that the change adds"`
	Suppressed int    `json:"suppressed"`
	LeftOut    int    `json:"leftOut"`
	Failed     bool   `json:"failed,omitempty" jsonschema:"It reports that it did not finish"`
	Stays      int    `json:"stays,omitempty" jsonschema:"Earlier findings that stay open, because it has not reported"`
}

// AnalysisNote counts results of an analyser that a review could not use.
type AnalysisNote struct {
	Analyser string   `json:"analyser"`
	Why      string   `json:"why"`
	Unit     string   `json:"unit" jsonschema:"What is counted: results, files, runs or analysers"`
	Count    int      `json:"count"`
	Examples []string `json:"examples,omitempty" jsonschema:"At most five rules with their paths, files or messages"`
}

// AnalysisRuns is a page of runs of static analysis.
type AnalysisRuns struct {
	Items      []AnalysisRun `json:"items"`
	NextCursor string        `json:"nextCursor,omitempty" jsonschema:"For the next page; absent on the last one"`
}

// AnalysisRunsWanted is the input of list_static_analysis.
type AnalysisRunsWanted struct {
	Place
	Run string `json:"run,omitempty" jsonschema:"Id of a review: only the runs that it used, without pages"`
	Paging
}

func (s *Service) analysisRun(v store.SastRun) AnalysisRun {
	out := AnalysisRun{ID: v.ID, RunID: v.Run, HeadSHA: v.HeadSHA, Source: v.Source, State: v.State, Analysers: []AnalyserResults{},
		NewFindings: v.NewFindings, OldFindings: v.OldFindings, LeftOut: []AnalysisNote{}, CreatedAt: formatTime(v.CreatedUS)}
	for _, a := range store.FromJSON[[]sast.Analysis](v.Analysers) {
		out.Analysers = append(out.Analysers, AnalyserResults{Name: s.line(a.Name), Version: s.line(a.Version), Results: a.Results, New: a.New,
			Suppressed: a.Suppressed, LeftOut: a.LeftOut, Failed: a.Failed})
	}
	for _, n := range store.FromJSON[[]sast.Note](v.LeftOut) {
		note := AnalysisNote{Analyser: s.line(n.Analyser), Why: s.line(n.Why), Unit: cmp.Or(n.Unit, sast.UnitResults), Count: n.Count}
		for _, example := range n.Examples {
			note.Examples = append(note.Examples, s.line(example))
		}
		out.LeftOut = append(out.LeftOut, note)
	}
	return out
}

// markdown returns a run as one line.
func (v AnalysisRun) markdown() string {
	names := make([]string, len(v.Analysers))
	for i, a := range v.Analysers {
		names[i] = fmt.Sprintf("%s (%d)", a.Name, a.Results)
	}
	line := fmt.Sprintf("%s (%s, %s) at %s: %s; %d new, %d on other lines", v.ID, v.Source, v.State, v.HeadSHA, strings.Join(names, ", "),
		v.NewFindings, v.OldFindings)
	for _, n := range v.LeftOut {
		line += fmt.Sprintf("; %s left out: %s: %s", sast.Counted(n.Unit, n.Count), n.Analyser, n.Why)
	}
	return line + ".\n"
}

func listStaticAnalysis(ctx context.Context, v *visit, in AnalysisRunsWanted) (AnalysisRuns, string, error) {
	out := AnalysisRuns{Items: []AnalysisRun{}}
	limit, before, err := in.window()
	if err == nil && in.Run != "" {
		err = checkID(in.Run)
	}
	if err != nil {
		return out, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return out, "", err
	}
	var rows []store.SastRun
	if in.Run != "" {
		rows, err = v.Store.SastRunsOf(ctx, v.Tenant, at.ID, in.Run)
	} else {
		rows, err = v.Store.SastRuns(ctx, v.Tenant, at.ID, store.SastFilter{}, before, limit+1)
		rows, out.NextCursor = cutPage(rows, limit)
	}
	if err != nil {
		return out, "", err
	}
	var b strings.Builder
	for _, r := range rows {
		shown := v.analysisRun(r)
		out.Items = append(out.Items, shown)
		b.WriteString(shown.markdown())
	}
	text := pluralize(len(rows), "run of static analysis.", "runs of static analysis.") + nextPageHint(out.NextCursor)
	if len(rows) > 0 {
		text += "\n" + fenced(b.String())
	}
	return out, text, nil
}
