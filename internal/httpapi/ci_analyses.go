package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// CIAnalysis explains a failed job of a pull request's head.
type CIAnalysis struct {
	ID           string       `json:"id"`
	Number       int          `json:"number,omitempty" doc:"Of the pull request"`
	HeadSHA      string       `json:"headSha"`
	Job          string       `json:"job" doc:"As the pipeline names it; text from outside"`
	Source       string       `json:"source" enum:"job,check,status" doc:"A job of the host's CI, another app's check, or a commit status"`
	URL          string       `json:"url" doc:"At the host or another system; text from outside, empty if unknown"`
	State        string       `json:"state" enum:"queued,running,completed,failed,cancelled"`
	Reason       string       `json:"reason" doc:"Why it failed, was cancelled, or is less than was wished"`
	Tool         string       `json:"tool" doc:"That failed; empty if unknown" example:"go test"`
	Cause        string       `json:"cause" doc:"Of the failure; text from outside or of a model"`
	Relation     string       `json:"relation" enum:"caused,unrelated,unclear," doc:"Of the failure to the change; empty before the end"`
	Evidence     []CIEvidence `json:"evidence" doc:"Quotations that stand in the kept log or in the change"`
	Suggestion   string       `json:"suggestion"`
	Method       string       `json:"method" enum:"pattern,model," doc:"How the cause was found"`
	Model        string       `json:"model" doc:"That was asked; empty for none"`
	CostMicros   *int64       `json:"costMicros" doc:"null where no model was asked, or its price is unknown"`
	Flaky        bool         `json:"flaky" doc:"The same job failed and passed on this commit"`
	FailedBefore int64        `json:"failedBefore" doc:"Earlier analyses of this job in the repository"`
	FlakyBefore  int64        `json:"flakyBefore" doc:"Those of them whose job also passed on their commit"`
	OnBase       string       `json:"onBase" enum:"failed,passed," doc:"The end of this job on the base; empty if unknown"`
	Facts        []string     `json:"facts" doc:"What the host says besides a log; text from outside"`
	NoLog        string       `json:"noLog" doc:"Why there is no log, in a sentence"`
	LogLines     int64        `json:"logLines" doc:"Of the whole log"`
	Notes        []string     `json:"notes" doc:"What was cut or dropped, in sentences"`
	Log          []CILogLine  `json:"log,omitempty" doc:"The kept lines and the gaps between them, without secrets; absent in lists"`
	CreatedAt    time.Time    `json:"createdAt"`
	StartedAt    *time.Time   `json:"startedAt,omitempty"`
	FinishedAt   *time.Time   `json:"finishedAt,omitempty"`
}

// CIEvidence is a quotation that supports the cause of a failure.
type CIEvidence struct {
	Source string `json:"source" enum:"log,diff"`
	Path   string `json:"path,omitempty" doc:"Of a file of the change"`
	Line   int    `json:"line" doc:"In the whole log, or in the file"`
	Text   string `json:"text" doc:"Text from outside"`
}

// CILogLine is a kept line of a log, or a gap.
type CILogLine struct {
	Line    int    `json:"line,omitempty" doc:"In the whole log; absent for a gap"`
	Text    string `json:"text,omitempty" doc:"Text from outside"`
	LeftOut int    `json:"leftOut,omitempty" doc:"Lines of a gap"`
}

func ciAnalysis(v store.CIAnalysis) CIAnalysis {
	return CIAnalysis{ID: v.ID, Number: v.Number, HeadSHA: v.HeadSHA, Job: v.Job, Source: v.Source, URL: v.URL, State: string(v.State),
		Reason: v.Reason, Tool: v.Tool, Cause: v.Cause, Relation: v.Relation, Evidence: storedList[CIEvidence](v.Evidence),
		Suggestion: v.Suggestion, Method: v.Method, Model: v.Model, CostMicros: v.CostMicros, Flaky: v.Flaky,
		FailedBefore: v.FailedBefore, FlakyBefore: v.FlakyBefore, OnBase: v.OnBase, Facts: storedList[string](v.Facts), NoLog: v.NoLog,
		LogLines: v.LogLines, Notes: storedList[string](v.Notes), CreatedAt: store.Time(v.CreatedUS),
		StartedAt: store.TimeOrNil(v.StartedUS), FinishedAt: store.TimeOrNil(v.FinishedUS)}
}

// ciAnalysisWhole is [ciAnalysis] with the log.
func ciAnalysisWhole(v store.CIAnalysis) CIAnalysis {
	out := ciAnalysis(v)
	out.Log = storedList[CILogLine](v.Log)
	return out
}

// CIFilter selects analyses of failed jobs.
type CIFilter struct {
	PullRequest int    `query:"pullRequest" minimum:"1" doc:"Its number"`
	State       string `query:"state" enum:"queued,running,completed,failed,cancelled"`
	Relation    string `query:"relation" enum:"caused,unrelated,unclear"`
	Flaky       bool   `query:"flaky" doc:"Only those whose job also passed on the commit"`
}

func (s *server) ciAnalyses(ctx context.Context, in *struct {
	InRepository
	Page
	CIFilter
}) (*Listed[CIAnalysis], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Store.CIAnalyses(ctx, c.tenant, c.repository.ID, store.CIFilter{Number: in.PullRequest, State: in.State,
		Relation: in.Relation, Flaky: in.Flaky, Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, ciAnalysis), nil
}

func (s *server) ciAnalysis(ctx context.Context, in *struct {
	InRepository
	ID string `path:"analysisId"`
}) (*Read[CIAnalysis], error) {
	return find(ctx, in.ID, s.notedCIAnalysis, ciAnalysisWhole)
}

// notedCIAnalysis reads an analysis. A note says why the pull request gets no comment about it any more.
func (s *server) notedCIAnalysis(ctx context.Context, t domain.Tenant, repository, id string) (store.CIAnalysis, error) {
	v, err := s.Store.CIAnalysis(ctx, t, repository, id)
	if err != nil {
		return v, err
	}
	said, err := s.Store.CIComment(ctx, t, v.PullRequest)
	if err == nil && said.State == store.CICommentGone {
		v.Notes = store.JSON(append(storedList[string](v.Notes), "The pull request's comment about failed jobs is not written any more: "+
			said.Reason+"."))
	}
	return v, errs.IgnoreAbsent(err)
}
