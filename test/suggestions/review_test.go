package suggestions

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model/prompt"
)

var checks = func() *check.Checker {
	s, err := check.NewScanner()
	if err != nil {
		panic(err)
	}
	return &check.Checker{Scanner: s}
}()

// mender is a scripted model that also proposes fixes for its findings.
type mender struct {
	*script.Model
	fix func(f prompt.Found) *prompt.Change
}

func (m mender) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	res, err := m.Model.Complete(ctx, r)
	if err != nil || prompt.Stage(r.System) != "generate" {
		return res, err
	}
	var said struct{ Findings []prompt.Found }
	if err := json.Unmarshal([]byte(res.Text), &said); err != nil {
		return res, err
	}
	for i, f := range said.Findings {
		said.Findings[i].Fix = m.fix(f)
	}
	text, err := json.Marshal(prompt.Findings(said.Findings))
	res.Text = string(text)
	return res, err
}

// review reviews the only head of a case with an oracle that proposes changes, and renders the review.
func review(t *testing.T, c eval.Case, change eval.Change, fix func(f prompt.Found) *prompt.Change) ([]domain.Finding, []render.Comment) {
	t.Helper()
	oracle, err := script.New(script.Options{Name: script.Oracle}, c, 0)
	testkit.OK(t, err)
	r := ask.Route{Client: mender{oracle, fix}, Model: "scripted"}
	policy := domain.DefaultPolicy()
	policy.Profile = "assertive"
	res, err := engine.New(engine.Deps{Checks: checks}).Review(t.Context(), engine.Input{
		Repository: "suggestions", PullRequest: engine.PullRequest{Number: 1, Title: c.Title}, Policy: policy, BaseSHA: change.BaseSHA, MergeBase: change.BaseSHA,
		HeadSHA: change.HeadSHA, Diff: change.Diff, Source: change.Source, Models: &ask.Models{Fast: r, Standard: r, Strong: r}})
	testkit.OK(t, err)
	out := render.Render(render.Input{Result: res, Run: render.Run{ID: "run_1", HeadSHA: change.HeadSHA}, First: true, Mode: domain.PublishAuto, Policy: policy})
	return res.Findings, out.Comments
}
