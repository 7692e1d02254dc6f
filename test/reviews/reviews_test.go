package reviews

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model/prompt"
)

var update = flag.Bool("update", false, "write the reviews again")

// step is a head and the model's answers about it.
type step struct {
	files cases.Files
	found []prompt.Found
	// doubts are the titles that the verifier neither confirms nor refutes.
	doubts []string
	fixed  []string // titles that it calls fixed when asked again
	broken string   // a file: calls that show it get no answer
}

// told is a review as people get it.
type told struct {
	name, language string
	base           cases.Files
	steps          []step
	rules          []engine.Rule
	depth          domain.Depth
}

// teller is a model that answers a step by its script.
type teller struct{ step }

// ListModels implements [llm.Client].
func (*teller) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// Complete implements [llm.Client].
func (m *teller) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	var user strings.Builder
	for _, message := range r.Messages {
		user.WriteString(message.Text + "\n")
	}
	var value any
	switch prompt.Stage(r.System) {
	case "generate":
		if m.broken != "" && slices.ContainsFunc(prompt.ReadDiff(user.String()), func(l prompt.Line) bool { return l.Path == m.broken }) {
			return llm.Response{}, &llm.Error{Class: llm.ClassInvalidResponse, ProviderMessage: "no answer"}
		}
		value = prompt.Findings(m.report(user.String()))
	case "verify":
		value = prompt.Verdicts(m.judge(prompt.ReadClaims(user.String())))
	default:
		return llm.Response{}, errors.New("the script has no answer to this")
	}
	text, err := json.Marshal(value)
	return llm.Response{Text: string(text), StopReason: llm.StopEnd, Model: "scripted", Usage: llm.Usage{InputTokens: int64((len(r.System) + user.Len()) / 4), OutputTokens: 100}}, err
}

// report returns the findings whose code the prompt shows.
func (m *teller) report(user string) []prompt.Found {
	shown, out := prompt.ReadDiff(user), []prompt.Found{}
	for _, f := range m.found {
		if _, there := shown.Code(f.Path, false, f.Start, f.End); there {
			f.Side, f.Evidence = "RIGHT", append([]prompt.Citation{}, f.Evidence...)
			out = append(out, f)
		}
	}
	return out
}

func (m *teller) judge(claims []prompt.Claim) []prompt.Verdict {
	var out []prompt.Verdict
	for _, c := range claims {
		v := prompt.Verdict{Claim: c.ID, Verdict: "confirmed", Scope: "introduced", Reachable: "yes", Severity: "critical", ConfirmingQuotes: []string{c.Proof()}, WouldSeniorBlock: true}
		switch {
		case slices.Contains(m.fixed, c.Title):
			v.Verdict, v.ConfirmingQuotes, v.RefutationQuote = "refuted", []string{}, c.Rebuttal()
		case slices.Contains(m.doubts, c.Title):
			v.Verdict, v.ConfirmingQuotes, v.Reachable = "unproven", []string{}, "unknown"
		}
		out = append(out, v)
	}
	return out
}

// Ten reviews are unchanged since they were read and approved.
func TestReviews(t *testing.T) {
	t.Parallel()
	scanner, err := check.NewScanner()
	testkit.OK(t, err)
	for _, r := range all() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got := r.written(t, &check.Checker{Scanner: scanner})
			path := filepath.Join("testdata", r.name+".md")
			if *update {
				testkit.OK(t, os.WriteFile(path, []byte(got), 0o600))
			}
			want, err := os.ReadFile(path)
			testkit.OK(t, err)
			if got != string(want) {
				t.Errorf("%s differs (run with -update, and read it):\n%s", path, got)
			}
		})
	}
}

// written returns the published text of the last step: the review, the summary if it differs, and the
// comments.
func (r told) written(t *testing.T, checks engine.Checks) string {
	t.Helper()
	versions := []cases.Files{r.base}
	for _, s := range r.steps {
		versions = append(versions, s.files)
	}
	heads, done, err := cases.OpenFiles(t.Context(), versions...)
	testkit.OK(t, err)
	defer done()
	policy := domain.DefaultPolicy()
	policy.Language = r.language
	in := engine.Input{Repository: "reviews", PullRequest: engine.PullRequest{Number: 7, Title: "A change"}, Policy: policy, Rules: r.rules, Depth: r.depth, ReviewedHunks: map[string]bool{}}
	var out render.Output
	previous := ""
	for i, head := range heads {
		route := ask.Route{Client: &teller{r.steps[i]}, Model: "scripted", Window: 200_000}
		in.BaseSHA, in.MergeBase, in.HeadSHA, in.Diff, in.Source = head.BaseSHA, head.BaseSHA, head.HeadSHA, head.Diff, head.Source
		in.Models = &ask.Models{Fast: route, Standard: route, Strong: route}
		res, err := engine.New(engine.Deps{Checks: checks}).Review(t.Context(), in)
		testkit.OK(t, err)
		out = render.Render(render.Input{Result: res, Run: render.Run{ID: "run_1", HeadSHA: head.HeadSHA, PreviousHead: previous}, First: i == 0, Mode: policy.PublishMode, Policy: policy,
			DetailsURL: "https://assay.example/t/acme/runs/run_1", LinkFor: func(path string, first, last int) string {
				return fmt.Sprintf("https://host.example/acme/shop/blob/%s/%s#L%d-L%d", head.HeadSHA[:7], path, first, last)
			}})
		previous = head.HeadSHA
		remember(&in, res)
	}
	text := out.Body.String()
	if out.SummaryBody.String() != text {
		text += "\n\n===== the first review, as it is edited\n\n" + out.SummaryBody.String()
	}
	for _, c := range out.Comments {
		text += fmt.Sprintf("\n\n===== on %s, lines %d to %d\n\n%s", c.Path, cmp.Or(c.StartLine, c.Line), c.Line, c.Body)
	}
	return text + fmt.Sprintf("\n\n===== check run: %s\n\n%s\n", out.CheckConclusion, out.CheckTitle)
}

// remember takes over the findings of a review, as the store does.
func remember(in *engine.Input, res engine.Result) {
	for _, h := range res.Hunks {
		in.ReviewedHunks[h] = true
	}
	in.Known = nil
	for _, f := range res.Findings {
		f.Known = f.Known || f.Route != domain.RouteStored
		in.Known = append(in.Known, f)
	}
}
