package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/judge"
	"github.com/assay-dev/assay/internal/eval/record"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/store"
)

type evalReportCmd struct {
	File   string `arg:"" name:"run" help:"A run that --output kept."`
	Format string `short:"f" enum:"text,markdown,json" default:"text" help:"text, markdown or json."`
	Store  bool   `help:"Enter the run into the list of the configured instance (GET /api/instance/eval-runs)."`
}

// Help implements kong.HelpProvider.
func (evalReportCmd) Help() string {
	return `Examples:

    assay eval report first.json
    assay eval report first.json --format markdown`
}

// Run implements the command.
func (c *evalReportCmd) Run(e *env) error {
	run, err := record.Load(c.File)
	if err != nil {
		return err
	}
	report := run.Report()
	if c.Store {
		if err := storeEvalRun(e, run.Made, report); err != nil {
			return fmt.Errorf("--store: %w", err)
		}
	}
	return writeReport(e.stdout, report, c.Format)
}

type evalCompareCmd struct {
	Before string `arg:"" help:"A run that --output kept."`
	After  string `arg:"" help:"Another one, over the same cases."`
	Format string `short:"f" enum:"text,markdown,json" default:"text" help:"text, markdown or json."`
}

// Help implements kong.HelpProvider.
func (evalCompareCmd) Help() string {
	return `A difference counts only as far as chance does not explain it: the report says how likely that is. Cases that
only one run has are left out.

Examples:

    assay eval compare before.json after.json`
}

// Run implements the command.
func (c *evalCompareCmd) Run(e *env) error {
	before, err := record.Load(c.Before)
	if err != nil {
		return err
	}
	after, err := record.Load(c.After)
	if err != nil {
		return err
	}
	return writeReport(e.stdout, before.Compare(after), c.Format)
}

type evalJudgeCmd struct {
	File       string `arg:"" name:"run" help:"A run that --output kept. The answers of the judges are stored there, too."`
	caseFlags  `embed:""`
	modelFlags `embed:""`

	Second   string `name:"second-model" placeholder:"NAME" help:"A second judge at the same address, of another family of models. Where both differ, the first is asked again."`
	MaxCalls int    `default:"2000" help:"Most calls of models, of up to ten questions each."`
	Format   string `short:"f" enum:"text,markdown,json" default:"text" help:"text, markdown or json."`
}

// Help implements kong.HelpProvider.
func (evalJudgeCmd) Help() string {
	return `Place and words do not always tell whether a finding is the defect that is known. A judge compares both, blind
to who wrote which, and looks at the code of findings that nothing known explains. Name the same sets as for the run:
the code comes from there.

Examples:

    assay eval judge first.json --model-kind openai --model gpt-5.1
    assay eval judge first.json --model-url http://localhost:4000 --model claude-opus-4-5 --second-model gpt-5.1`
}

// Run implements the command.
func (c *evalJudgeCmd) Run(e *env) error {
	switch {
	case c.Model == "":
		return usageError("--model must name the judge")
	case c.MaxCalls < 1:
		return usageError("--max-calls must be a number from 1 on")
	}
	if err := c.modelFlags.check(e); err != nil {
		return err
	}
	run, err := record.Load(c.File)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	failed := c.judge(ctx, e, &run)
	if err := run.Save(c.File); err != nil { // save the answers even after a failure
		return err
	}
	if failed != nil {
		return failed
	}
	return writeReport(e.stdout, run.Report(), c.Format)
}

// judge asks the judges about every outcome.
func (c *evalJudgeCmd) judge(ctx context.Context, e *env, run *record.Run) error {
	models, err := c.open(e, e.waiting(c.ModelWait))
	if err != nil {
		return err
	}
	second := ask.Route{}
	if c.Second != "" {
		second = models.Standard
		second.Model = c.Second
	}
	c.Held = "with"
	list, err := c.choose(ctx, e.progressPrinter())
	if err != nil {
		return err
	}
	scanner, err := check.NewScanner()
	if err != nil {
		return err
	}
	j, err := judge.New(judge.Options{First: models.Standard, Second: second, Seed: run.Made.Seed, Answers: run.Answers, MaxCalls: c.MaxCalls})
	if err != nil {
		return err
	}
	defer func() { run.Answers = j.Answers() }()
	var all []score.Judgement
	blind := 0
	for _, o := range run.Outcomes {
		if o.Skipped || o.Error != "" {
			continue
		}
		said, code, err := judgeOne(ctx, j, scanner, list, o)
		if err != nil {
			return err // earlier judgements stay, because the answers are kept
		}
		if !code {
			blind++
		}
		all = append(all, said)
	}
	run.Judgements, run.Made.Judges = all, slices.DeleteFunc([]string{c.Model, c.Second}, func(s string) bool { return s == "" })
	if blind > 0 {
		e.say("The code of %d reviews is not at hand, so their findings without a known defect were not judged: name the sets of the "+
			"run (--folder, --list, …).", blind)
	}
	cost := j.Cost()
	e.say("The judges were asked %d times, with %d tokens in and %d out.", cost.Calls, cost.InputTokens, cost.OutputTokens)
	if n := j.Unasked(); n > 0 {
		e.say("%d questions were left unasked: --max-calls was reached.", n)
	}
	return nil
}

// judgeOne opens the code of an outcome and asks about it. at reports whether the code was available.
func judgeOne(ctx context.Context, j *judge.Judge, scanner *check.Scanner, list []chosen,
	o eval.Outcome) (said score.Judgement, at bool, err error) {
	code := func(int) change.Source { return nil }
	for _, l := range list {
		if !slices.ContainsFunc(l.cases, func(c eval.Case) bool { return c.Set == o.Case.Set && c.ID == o.Case.ID }) {
			continue
		}
		heads, done, err := l.set.Open(ctx, o.Case)
		if done != nil {
			defer done()
		}
		if err != nil {
			continue
		}
		at = true
		code = func(head int) change.Source {
			if head >= len(heads) {
				return nil
			}
			return &check.RedactedSource{Source: heads[head].Source, Redactor: check.NewRedactor(scanner)}
		}
	}
	said, err = j.Outcome(ctx, o, code)
	return said, at, err
}

// storeEvalRun stores a run's results in the list of the instance.
func storeEvalRun(e *env, made score.Made, r score.Report) error {
	row, err := evalRow(made, r)
	if err != nil {
		return err
	}
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		got, err := s.AddEvalRun(ctx, row)
		if err == nil {
			_, err = fmt.Fprintf(e.stderr, "The run is entered as %s.\n", got.ID)
		}
		return err
	})
}

// writeReport writes a run's report in a format.
func writeReport(w io.Writer, r interface {
	Text(io.Writer) error
	Markdown(io.Writer) error
}, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "markdown":
		return r.Markdown(w)
	}
	return r.Text(w)
}

// evalRow returns a run's entry for the list of an instance.
func evalRow(made score.Made, r score.Report) (store.EvalRun, error) {
	quality := r.QualityBy("judged")
	if quality == nil || quality.LeftOut > 0 {
		quality = r.QualityBy("loose")
	}
	recall, precision := quality.Measures[score.Recall], quality.Measures[score.Precision]
	if recall == nil || precision == nil {
		return store.EvalRun{}, errs.New(errs.Invalid, "nothing_measured",
			"The run has no share of defects found, or none of findings that are right: it had no defects to find, or found nothing.")
	}
	millionths := func(v *score.Ratio) int64 {
		if v == nil {
			return 0
		}
		return int64(math.Round(v.Value * 1e6))
	}
	row := store.EvalRun{Suite: strings.Join(made.Sets, ", "), Routing: modelNames(made), Cases: int64(r.Counts.Cases),
		Recall: millionths(recall), Precision: millionths(precision),
		Noise: millionths(quality.Measures[score.Noise]), LatencyMS: r.Costs.P50.Milliseconds()}
	if r.Costs.Total.Micros > 0 || made.Mode == "scripted" {
		row.CostMicros = &r.Costs.Total.Micros
	}
	return row, nil
}

// modelNames returns a line with the models that answered.
func modelNames(made score.Made) string {
	var out []string
	for _, tier := range sortedKeys(made.Models) {
		out = append(out, tier+" "+made.Models[tier])
	}
	if len(out) == 0 {
		return made.Mode
	}
	return made.Mode + ": " + strings.Join(out, ", ")
}

// sortedKeys lists the keys of a table in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
