// Package drive reviews cases with the engine and notes what each step of the
// review said. It knows no scores: those are made from the outcomes.
//
// Each head of a case is reviewed the way a push to a pull request is: what was
// said of the heads before is known, and only what changed is due.
package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
)

// Options say how cases are reviewed.
type Options struct {
	Checks engine.Checks // needed
	// Models makes the routes for a head of a case; nil reviews with deterministic
	// checks alone. A cassette or a scripted model answers for one case.
	Models  func(c eval.Case, run, head int) (*ask.Models, error)
	Policy  domain.Policy // the zero value means [domain.DefaultPolicy]
	Rules   []engine.Rule
	Context engine.ContextLevel // "" means [engine.ContextRepository]
	Depth   domain.Depth        // "" means [domain.DepthFull]
	Tier    string              // T1 to T4: of every review; "" for what each change asks for
	Runs    int                 // over every case; 1 if 0
	// Parallel is how many cases are reviewed at once; 1 if 0.
	Parallel int
	// Timeout bounds one review; 15 minutes if 0, as ReviewBench gives.
	Timeout time.Duration
	// Price is what a call costs, in millionths of a US dollar; false where nobody
	// knows. nil: nobody does.
	Price  func(model string, u llm.Usage) (int64, bool)
	Logger *slog.Logger
	// Random makes the delimiters of the prompts of a review, the same each time for
	// runs on a cassette; nil: nobody may guess them.
	Random func(c eval.Case, run, head int) io.Reader
	// Reach is told what a checker sees of the definitions that a head of a case has; nil:
	// nobody looks. It may be called concurrently.
	Reach func(r Reach)
	// Done is told of each outcome as it comes, never concurrently; may be nil.
	Done func(o eval.Outcome)
}

// reviewTime is what ReviewBench gives a reviewer for a pull request
// (https://github.com/review-bench, agent contract).
const reviewTime = 15 * time.Minute

// Run reviews cases of a set and returns their outcomes in the order of the cases.
// A case whose code is not at hand is skipped, one that cannot be reviewed has an
// error; neither ends the run. The error is the context's: beside it stands what was
// done before.
func Run(ctx context.Context, set eval.Set, cases []eval.Case, o Options) ([]eval.Outcome, error) {
	if o.Policy.Profile == "" {
		o.Policy = domain.DefaultPolicy()
	}
	o.Runs, o.Parallel = max(o.Runs, 1), max(o.Parallel, 1)
	if o.Timeout <= 0 {
		o.Timeout = reviewTime
	}
	out := make([]eval.Outcome, len(cases)*o.Runs)
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(o.Parallel)
	for i, c := range cases {
		for run := range o.Runs {
			group.Go(func() error {
				if ctx.Err() != nil {
					return nil
				}
				got := review(ctx, set, c, run, o)
				mu.Lock()
				defer mu.Unlock()
				out[i*o.Runs+run] = got
				if o.Done != nil && ctx.Err() == nil {
					o.Done(got)
				}
				return nil
			})
		}
	}
	_ = group.Wait()
	if ctx.Err() != nil { // what was not begun, and what was under way
		out = slices.DeleteFunc(out, func(o eval.Outcome) bool { return o.Case.ID == "" || o.Error != "" && !o.Skipped })
	}
	return out, ctx.Err()
}

func review(ctx context.Context, set eval.Set, c eval.Case, run int, o Options) eval.Outcome {
	out := eval.Outcome{Case: c, Run: run}
	heads, done, err := set.Open(ctx, c)
	if done != nil {
		defer done()
	}
	switch {
	case errors.Is(err, eval.ErrNoCode):
		out.Skipped, out.Error = true, err.Error()
		return out
	case err != nil:
		out.Error = err.Error()
		return out
	}
	if err := placed(ctx, c, heads); err != nil {
		out.Error = err.Error()
		return out
	}
	in := engine.Input{Repository: "eval", PullRequest: engine.PullRequest{Number: 1, Title: c.Title, Body: c.Body}, Policy: o.Policy, Rules: o.Rules,
		Context: o.Context, Depth: o.Depth, Tier: o.Tier, ReviewedHunks: map[string]bool{}}
	for i, change := range heads {
		head, err := reviewHead(ctx, &in, c, change, run, i, o)
		out.Heads = append(out.Heads, head) // what it has cost counts all the same
		if err != nil {
			out.Error = fmt.Sprintf("head %d: %v", i, err)
			return out
		}
	}
	return out
}

// reviewHead reviews one head, and notes in the input what the next one may know.
func reviewHead(ctx context.Context, in *engine.Input, c eval.Case, change eval.Change, run, head int, o Options) (eval.Head, error) {
	in.BaseSHA, in.MergeBase, in.HeadSHA, in.Diff, in.Source = change.BaseSHA, change.BaseSHA, change.HeadSHA, change.Diff, change.Source
	in.Models, in.ModelNote = nil, engine.NoteNotConfigured
	seen := newSight()
	if o.Models != nil {
		models, err := o.Models(c, run, head)
		if err != nil {
			return eval.Head{}, err
		}
		in.Models, in.ModelNote = seen.watch(models), ""
	}
	out := eval.Head{Stages: map[eval.Stage][]eval.Finding{}}
	bill := &bill{price: o.Price}
	deps := engine.Deps{Checks: o.Checks, Recorder: bill, Logger: o.Logger}
	if o.Random != nil {
		deps.Random = o.Random(c, run, head)
	}
	if o.Reach != nil && len(c.Definitions) > 0 {
		deps.Reach = func(ctx context.Context, anew func() engine.Checker) { o.Reach(reach(ctx, anew, c, change)) }
	}
	deps.Trace = func(step engine.Step, findings []domain.Finding) {
		stage := map[engine.Step]eval.Stage{engine.StepGenerated: eval.Generated, engine.StepAnchored: eval.Anchored, engine.StepStanding: eval.Standing, engine.StepVerified: eval.Verified}[step]
		for _, f := range findings {
			out.Stages[stage] = append(out.Stages[stage], finding(f))
		}
	}
	bounded, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	began := time.Now()
	res, err := engine.New(deps).Review(bounded, *in)
	out.Cost = bill.total()
	out.Cost.Duration = time.Since(began)
	switch {
	case err != nil:
		return eval.Head{Cost: out.Cost}, err
	case in.Models != nil && res.ModelState == engine.ModelUnavailable: // that is no review
		return eval.Head{Cost: out.Cost}, fmt.Errorf("no model reviewed it: %s", res.ModelNote)
	}
	out.Lines, out.Model, out.Note = res.Stats.Additions+res.Stats.Deletions, res.ModelState, res.ModelNote
	for _, f := range res.Findings {
		if !f.Known && f.State == domain.FindingOpen && shown(f) {
			out.Stages[eval.Published] = append(out.Stages[eval.Published], finding(f))
		}
	}
	out.Resolved = res.Resolved
	set, err := diff.ParseContext(bounded, change.Diff) // the engine has read it before
	if err != nil {
		return eval.Head{}, err
	}
	seen.count(c.Definitions, set, &out)
	out.Renames = renames(set)
	remember(in, res)
	return out, nil
}

// renames are the paths at the base of renamed files, by those at the head.
func renames(set *diff.Set) map[string]string {
	out := map[string]string{}
	for _, f := range set.Files {
		if f.Status == diff.Renamed && f.OldPath != f.Path {
			out[f.Path] = f.OldPath
		}
	}
	return out
}

func shown(f domain.Finding) bool {
	return f.Route == domain.RouteInline || f.Route == domain.RouteSummary
}

// remember takes over what a review said, as the store does for the next run.
func remember(in *engine.Input, res engine.Result) {
	for _, h := range res.Hunks {
		in.ReviewedHunks[h] = true
	}
	for _, f := range res.Findings {
		f.Known = f.Known || shown(f)
		if i := slices.IndexFunc(in.Known, func(k domain.Finding) bool { return k.ID == f.ID }); i >= 0 {
			in.Known[i] = f
		} else {
			in.Known = append(in.Known, f)
		}
	}
	for i := range in.Known {
		if slices.Contains(res.Resolved, in.Known[i].ID) {
			in.Known[i].State = domain.FindingResolved
		}
	}
}

func finding(f domain.Finding) eval.Finding {
	return eval.Finding{ID: f.ID, Path: f.Anchor.Path, Side: f.Anchor.Side, StartLine: f.Anchor.StartLine, EndLine: f.Anchor.EndLine, Rule: f.RuleID,
		Category: string(f.Category), Severity: f.Severity.String(), Title: f.Title, Text: f.Explanation, Inline: f.Route == domain.RouteInline,
		Model: !f.Origin.Deterministic(), Confidence: f.Confidence, Lenses: f.Lenses}
}
