// Package drive reviews cases with the engine and records the findings of each step. It computes no scores:
// other packages make them from the outcomes.
//
// It reviews each head of a case like a push to a pull request: the engine knows the findings of earlier
// heads, and reviews only the changes since.
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

// Options configures the reviews of cases.
type Options struct {
	Checks engine.Checks // required
	// Models returns the routes for a head of a case. A cassette or a scripted model answers for one case.
	// nil reviews with deterministic checks alone.
	Models  func(c eval.Case, run, head int) (*ask.Models, error)
	Policy  domain.Policy // the zero value means [domain.DefaultPolicy]
	Rules   []engine.Rule
	Context engine.ContextLevel // "" means [engine.ContextRepository]
	Depth   domain.Depth        // "" means [domain.DepthFull]
	Tier    string              // T1 to T4 for every review; "" lets each change decide
	Runs    int                 // reviews of every case; 0 means 1
	// Parallel is the number of cases reviewed at once; 0 means 1.
	Parallel int
	// Timeout bounds one review. 0 means 15 minutes, as in ReviewBench.
	Timeout time.Duration
	// Price returns the cost of a call of a tier in millionths of a US dollar, and false if the price is unknown. nil
	// means that all prices are unknown.
	Price  func(tier, model string, u llm.Usage) (int64, bool)
	Logger *slog.Logger
	// Random returns a source for the delimiters of a review's prompts that is equal for runs on a
	// cassette. nil makes the delimiters unpredictable.
	Random func(c eval.Case, run, head int) io.Reader
	// Reach receives the definitions of a head that a checker sees. nil skips the search. It may be called
	// concurrently.
	Reach func(r Reach)
	// Done receives each outcome, never concurrently; may be nil.
	Done func(o eval.Outcome)
}

// reviewTime is ReviewBench's time for the review of a pull request (https://github.com/review-bench, agent
// contract).
const reviewTime = 15 * time.Minute

// Run reviews cases of a set and returns their outcomes in the order of the cases. A case without code is
// skipped, and a failed review has an error; neither ends the run. Run returns only the context's error,
// together with the outcomes so far.
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
	if ctx.Err() != nil { // reviews that were not started or not finished
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
	case errors.Is(err, eval.ErrNoCode), errors.Is(err, eval.ErrLabel):
		out.Skipped, out.Error = true, err.Error()
		return out
	case err != nil:
		out.Error = err.Error()
		return out
	}
	if err := checkPlaces(ctx, c, heads); err != nil {
		out.Error = err.Error()
		return out
	}
	in := engine.Input{Repository: "eval", PullRequest: engine.PullRequest{Number: 1, Title: c.Title, Body: c.Body}, Policy: o.Policy,
		Rules:   o.Rules,
		Context: o.Context, Depth: o.Depth, Tier: o.Tier, ReviewedHunks: map[string]bool{}}
	for i, change := range heads {
		head, err := reviewHead(ctx, &in, c, change, run, i, o)
		out.Heads = append(out.Heads, head) // its cost counts even after an error
		if err != nil {
			out.Error = fmt.Sprintf("head %d: %v", i, err)
			return out
		}
	}
	return out
}

// reviewHead reviews one head, and adds the input of the next one.
func reviewHead(ctx context.Context, in *engine.Input, c eval.Case, change eval.Change, run, head int, o Options) (eval.Head, error) {
	in.BaseSHA, in.MergeBase, in.HeadSHA, in.Diff, in.Source = change.BaseSHA, change.BaseSHA, change.HeadSHA, change.Diff, change.Source
	in.Models, in.ModelNote = nil, engine.NoteNotConfigured
	seen := newShownLines()
	if o.Models != nil {
		models, err := o.Models(c, run, head)
		if err != nil {
			return eval.Head{}, err
		}
		in.Models, in.ModelNote = seen.watch(models), ""
	}
	out := eval.Head{Stages: map[eval.Stage][]eval.Finding{}}
	bill := &costRecorder{price: o.Price}
	deps := engine.Deps{Checks: o.Checks, Recorder: bill, Logger: o.Logger}
	if o.Random != nil {
		deps.Random = o.Random(c, run, head)
	}
	if o.Reach != nil && len(c.Definitions) > 0 {
		deps.Reach = func(ctx context.Context, anew func() engine.Checker) { o.Reach(measureReach(ctx, anew, c, change)) }
	}
	deps.Trace = func(step engine.Step, findings []domain.Finding) {
		stage := map[engine.Step]eval.Stage{engine.StepGenerated: eval.Generated, engine.StepAnchored: eval.Anchored,
			engine.StepStanding: eval.Standing, engine.StepVerified: eval.Verified}[step]
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
	case in.Models != nil && res.ModelState == engine.ModelUnavailable: // that is not a review
		return eval.Head{Cost: out.Cost}, fmt.Errorf("no model reviewed it: %s", res.ModelNote)
	}
	out.Lines, out.Model, out.Note = res.Stats.Additions+res.Stats.Deletions, res.ModelState, res.ModelNote
	for _, f := range res.Findings {
		if !f.Known && f.State == domain.FindingOpen && shown(f) {
			out.Stages[eval.Published] = append(out.Stages[eval.Published], finding(f))
		}
	}
	for _, d := range res.Discarded {
		f := finding(d.Finding)
		f.Drop = &eval.Drop{At: d.Stage, Why: d.Why, Verdict: string(d.Finding.Verdict), VerdictWhy: d.Finding.VerdictWhy,
			Said: string(d.Check.Said), Reason: d.Check.Reason}
		out.Stages[eval.Dropped] = append(out.Stages[eval.Dropped], f)
	}
	out.Resolved = res.Resolved
	set, err := diff.ParseContext(bounded, change.Diff) // the engine has already parsed it
	if err != nil {
		return eval.Head{}, err
	}
	seen.count(c.Definitions, set, &out)
	seen.beside.finish(c, set, seen.ofChange(set), &out)
	out.Renames, out.Runs = renames(set), runs(set, c, out.Stages[eval.Published])
	remember(in, res)
	return out, nil
}

// renames maps the head paths of renamed files to their base paths.
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

// remember adds the results of a review to the input of the next one, as the store does.
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
	return eval.Finding{ID: f.ID, Path: f.Anchor.Path, Side: f.Anchor.Side, StartLine: f.Anchor.StartLine, EndLine: f.Anchor.EndLine,
		Rule:     f.RuleID,
		Category: string(f.Category), Severity: f.Severity.String(), Title: f.Title, Text: f.Explanation, Inline: f.Route == domain.RouteInline,
		Model: !f.Origin.Deterministic(), Confidence: f.Confidence, Lenses: f.Lenses, By: f.PassNames,
		Passes: f.Passes}
}
