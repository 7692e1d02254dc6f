package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cassette"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/eval/record"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
)

type evalRunCmd struct {
	caseFlags  `embed:""`
	modelFlags `embed:""`
	panelFlags `embed:""`

	Scripted string  `enum:"oracle,noisy,obedient,lazy,liar,forger,looper," default:"" placeholder:"NAME" help:"A model that answers by what is known, without a key: oracle, noisy, obedient, lazy, liar, forger, looper."`
	Recall   float64 `default:"0.5" placeholder:"SHARE" help:"Share of the known defects that noisy finds, from 0 to 1. Default: 0.5."`
	Keep     string  `name:"record" placeholder:"FILE" help:"Cassette that keeps the model's answers. Its questions are not asked again."`
	Replay   string  `placeholder:"FILE" help:"Answer from a cassette, without asking a model."`
	ByHand   string  `name:"by-hand" placeholder:"FOLDER" help:"Write each request to a file here, and wait for its answer beside it."`

	Context string `enum:"none,file,repository" default:"repository" placeholder:"HOW MUCH" help:"What prompts show beside the change: none, file, repository (the default)."`
	Depth   string `enum:"full,reduced" default:"full" placeholder:"DEPTH" help:"full (default), or reduced, as for outside pull requests."`
	Tier    string `enum:"T1,T2,T3,T4," default:"" placeholder:"TIER" help:"T1, T2, T3 or T4: the depth of every review, for any change."`
	Lookups bool   `help:"Models may look up code before they report findings, as under finderLookups: true of a policy."`
	Runs    int    `default:"1" help:"How often each case is reviewed."`
	Jobs    int    `short:"j" default:"2" help:"Cases that are reviewed at once."`
	Seed    uint64 `default:"1" help:"Of whatever is drawn by chance."`

	Output string `short:"o" placeholder:"FILE" help:"Keep the run, for report, compare and judge."`
	Store  bool   `help:"Enter the run into the list of the configured instance (GET /api/instance/eval-runs)."`
	Format string `short:"f" enum:"text,markdown,json" default:"text" help:"text, markdown or json."`
	Quiet  bool   `short:"q" help:"No progress, only the report."`
}

// Help implements kong.HelpProvider.
func (evalRunCmd) Help() string {
	return `Without a model, --scripted, --replay or --by-hand, only the deterministic checks run. Nothing is published, and
nothing but the model is reached over the network.

With --by-hand a person, or a model without an interface, answers. NUMBER-HASH.request.md has a request with
instructions, NUMBER-HASH.answer.json is its answer. NUMBER-HASH.error.txt says why an answer cannot be used. The
answers are also on FOLDER/cassette.jsonl, for --replay. After an interrupt, the same command goes on with the answers
that are there.

Exit code: 0 the run was done, also where it found little, or where the code of cases is not at hand: the report counts
them; 1 the cases cannot be read, or --output cannot be written; 2 a flag, the model or one of its files is wrong, a review
failed, or the run was ended or could not be kept.

Examples:

    assay eval run --scripted oracle
    assay eval run --model-kind anthropic --model claude-sonnet-4-5 --runs 3 --output first.json
    assay eval run --mined . --held with --model-url http://localhost:11434/v1 --model qwen3-coder
    assay eval run --by-hand answers --only '^ledger' --jobs 1
    assay eval compare first.json second.json`
}

// Run implements the command.
func (c *evalRunCmd) Run(e *env) error {
	c.ignoreEnvironmentModel(e)
	if err := c.check(e); err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	told := e.progressPrinter()
	if c.Quiet {
		told = nil
	}
	list, err := c.choose(ctx, told)
	if err != nil {
		return err
	}
	room := record.NewRoom(record.MaxFile)
	if c.Output != "" { // before any cost arises
		if err := errors.Join(checkWritable(c.Output), c.checkRoom(list, *room)); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	run, ended := c.review(ctx, e, list, room)
	if c.ByHand != "" && ended != nil && ctx.Err() != nil {
		ended = c.sayHowToGoOn(len(run.Outcomes))
	} else if ended != nil && ctx.Err() != nil && len(run.Outcomes) > 0 {
		ended = errors.New("the run was ended: the report covers the reviews before that")
	}
	if len(run.Outcomes) == 0 && ended != nil {
		return &failure{2, ended}
	}
	report := run.Report()
	err = writeReport(e.stdout, report, c.Format)
	if c.Output != "" {
		err = errors.Join(err, flagError("--output", run.Save(c.Output)))
	}
	if c.Store && ended == nil {
		err = errors.Join(err, flagError("--store", storeEvalRun(e, run.Made, report)))
	}
	if err = errors.Join(ended, err); err != nil {
		return &failure{2, err}
	}
	if report.Counts.Failed > 0 {
		return quiet(2)
	}
	return nil
}

// flagError puts the name of a flag before an error; nil stays nil.
func flagError(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// checkWritable returns an error if files cannot be written in the folder of path.
func checkWritable(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".assay-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkRoom returns an error if a run is too large to be stored even without findings.
func (c *evalRunCmd) checkRoom(list []chosen, room record.Room) error {
	for _, l := range list {
		for _, one := range l.cases {
			for range c.Runs {
				if err := room.Take(eval.Outcome{Case: one}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ignoreEnvironmentModel ignores the environment's model if the flags name other answers.
func (c *evalRunCmd) ignoreEnvironmentModel(e *env) {
	if c.Scripted == "" && c.Replay == "" && c.ByHand == "" {
		return
	}
	for name, into := range map[string]*string{"ASSAY_REVIEW_MODEL": &c.Model, "ASSAY_REVIEW_MODEL_URL": &c.ModelURL,
		"ASSAY_REVIEW_MODEL_KEY_FILE": &c.ModelKeyFile} {
		if *into == e.variable(name) {
			*into = ""
		}
	}
}

func (c *evalRunCmd) check(e *env) error {
	answers := 0
	for _, given := range []bool{c.Model != "", c.Scripted != "", c.Replay != "", c.ByHand != ""} {
		if given {
			answers++
		}
	}
	switch {
	case answers > 1:
		return usageError("--model, --scripted, --replay and --by-hand are four ways to get answers: name one")
	case c.Keep != "" && c.Model == "" && c.ByHand == "":
		return usageError("--record keeps the answers of a model: it goes with --model or --by-hand")
	case !(c.Recall >= 0 && c.Recall <= 1): // NaN is neither
		return usageError("--recall must be between 0 and 1")
	case c.Runs < 1 || c.Runs > 20:
		return usageError("--runs must be a number from 1 to 20")
	case c.Jobs < 1 || c.Jobs > 64:
		return usageError("--jobs must be a number from 1 to 64")
	}
	if err := c.modelFlags.check(e); err != nil || c.Replay != "" {
		return err
	}
	return c.panelFlags.check(c.modelFlags, c.Scripted)
}

// review reviews the cases of all sets. If the run is stored, it ends when there is no more room for findings.
func (c *evalRunCmd) review(ctx context.Context, e *env, list []chosen, room *record.Room) (run record.Run, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	scanner, err := check.NewScanner()
	if err != nil {
		return run, err
	}
	answers, done, err := c.answers(e)
	if err != nil {
		return run, err
	}
	defer closing(done, &err)
	o := drive.Options{Checks: &check.Checker{Scanner: scanner}, Models: answers.models, Random: answers.random, Price: c.price(),
		Runs: c.Runs, Parallel: c.Jobs, Timeout: answers.timeout,
		Context: engine.ContextLevel(c.Context), Depth: domain.Depth(c.Depth), Tier: c.Tier}
	o.Policy = domain.DefaultPolicy()
	o.Policy.FinderLookups = c.Lookups
	total, n := 0, 0
	for _, l := range list {
		total += len(l.cases) * c.Runs
	}
	shows := !c.Quiet && terminal(e.stderr)
	o.Done = func(got eval.Outcome) {
		if n++; shows {
			_, _ = fmt.Fprintf(e.stderr, "\r\x1b[K%d of %d: %s", n, total, cell(got.Case.ID, 60)) // overwrites the previous line (ECMA-48, EL)
		}
		if c.Output == "" {
			return
		}
		if err := room.Take(got); err != nil {
			stop(flagError("--output", err))
		}
	}
	if shows {
		defer e.clearProgress()
	}
	run.Made = c.describeInputs(list)
	for _, l := range list {
		got, err := drive.Run(ctx, l.set, l.cases, o)
		run.Outcomes = append(run.Outcomes, got...)
		if err != nil {
			return run, cmp.Or(context.Cause(ctx), err)
		}
	}
	return run, nil
}

// answering is the source of model answers.
type answering struct {
	models func(c eval.Case, run, head int) (*ask.Models, error)
	random func(c eval.Case, run, head int) io.Reader
	// timeout bounds one review; 0 means the default.
	timeout time.Duration
}

// scriptedWindow is the context of scripted models, in tokens: like current models, it has room for a review's
// largest call.
const scriptedWindow = 200_000

// answers opens the source of the answers; done closes it.
func (c *evalRunCmd) answers(e *env) (a answering, done func() error, err error) {
	same := func(v eval.Case, run, head int) io.Reader { return cassette.Random(c.Seed, v.Set, v.ID, run, head) }
	nothing := func() error { return nil }
	all := func(client llm.Client, name string) *ask.Models {
		r := ask.Route{Client: client, Model: name, Effort: llm.Effort(c.ModelEffort), Window: scriptedWindow}
		return &ask.Models{Fast: r, Standard: r, Strong: r}
	}
	switch {
	case c.Scripted != "":
		return answering{random: same, models: func(v eval.Case, run, head int) (*ask.Models, error) {
			m, err := script.New(script.Options{Name: c.Scripted, Seed: c.Seed + uint64(run), Recall: c.Recall}, v, head)
			if err != nil {
				return nil, err
			}
			models := all(m, c.Scripted)
			return models, c.panelFlags.scripted(c.Seed+uint64(run), c.Recall, v, head, models)
		}}, nothing, nil
	case c.Replay != "":
		tape, err := cassette.Open(c.Replay, c.recorded())
		if err != nil {
			return a, nil, fmt.Errorf("--replay: %w", err)
		}
		models := tape.Models()
		return answering{random: same, models: func(eval.Case, int, int) (*ask.Models, error) { return models, nil }}, nothing, nil
	case c.ByHand != "":
		return c.answersByHand(e, same)
	case c.Model == "":
		return a, nothing, nil
	}
	tried := e.waiting(c.ModelWait)
	if c.Quiet {
		tried = nil
	}
	models, err := c.open(e, tried)
	if err == nil {
		err = c.panelFlags.add(e, c.modelFlags, tried, models)
	}
	if err != nil {
		return a, nil, err
	}
	a.models = func(eval.Case, int, int) (*ask.Models, error) { return models, nil }
	if c.Keep == "" {
		return a, nothing, nil
	}
	tape, err := cassette.Record(c.Keep, c.recorded(), models)
	if err != nil {
		return a, nil, fmt.Errorf("--record: %w", err)
	}
	if n := tape.Kept(); n > 0 && !c.Quiet {
		e.say("%s has %d answers, which are not requested again; the report still counts their tokens.", printable(c.Keep), n)
	}
	models, a.random = tape.Models(), same
	return a, tape.Close, nil
}

// recorded returns the options that determine the requests of a run.
func (c *evalRunCmd) recorded() string {
	options := fmt.Sprintf("--seed %d --context %s --depth %s", c.Seed, c.Context, c.Depth)
	if c.Tier != "" {
		options += " --tier " + c.Tier
	}
	if c.Lookups {
		options += " --lookups"
	}
	if c.Panel != "" {
		options += " --panel " + c.Panel
	}
	return options
}

// price returns a function for the cost of calls, nil if no price of the model is known. The tier decides about the key,
// because a provider can answer with another name of the model than the flag has.
func (c *evalRunCmd) price() func(tier, model string, u llm.Usage) (int64, bool) {
	known, _, err := price.Embedded()
	if err != nil || c.Model == "" {
		return nil
	}
	return func(tier, model string, u llm.Usage) (int64, bool) {
		key := c.key()
		if tier == ask.TierPanel {
			key = catalog.Key{Kind: c.PanelKind, BaseURL: c.PanelURL}
		}
		p, ok := known.Find(key, model, "", time.Now())
		return p.Cost(u), ok
	}
}

// describeInputs returns the description of a run's inputs.
func (c *evalRunCmd) describeInputs(list []chosen) score.Made {
	m := score.Made{Assay: version, Prompt: engine.PromptHash(), Mode: "checks only", Seed: c.Seed,
		Date: time.Now().UTC().Truncate(time.Second), Flags: map[string]string{}}
	for _, l := range list {
		if name := l.cases[0].Set; !slices.Contains(m.Sets, name) {
			m.Sets = append(m.Sets, name)
		}
	}
	switch {
	case c.Scripted != "":
		m.Mode, m.Models = "scripted", map[string]string{"all": c.Scripted}
	case c.Replay != "":
		m.Mode = "cassette"
	case c.ByHand != "":
		m.Mode = "by hand"
	case c.Model != "":
		m.Mode = "live"
		m.Models = map[string]string{"fast": cmp.Or(c.ModelFast, c.Model), "standard": c.Model, "strong": cmp.Or(c.ModelStrong, c.Model)}
	}
	flags := map[string]string{"panel": c.Panel, "context": c.Context, "depth": c.Depth, "tier": c.Tier,
		"effort": c.ModelEffort, "held": c.Held,
		"only": c.Only, "language": c.Language, "kind": c.Kind}
	if c.Model != "" {
		flags["interface"] = c.ModelKind
	}
	if slices.Contains([]string{script.Noisy, script.Liar, script.Forger}, c.Scripted) {
		flags["recall"] = strconv.FormatFloat(c.Recall, 'g', -1, 64)
	}
	if c.Lookups {
		flags["lookups"] = "true"
	}
	if c.Limit > 0 {
		flags["limit"] = strconv.Itoa(c.Limit)
	}
	for name, v := range flags {
		if v != "" {
			m.Flags[name] = v
		}
	}
	if c.Runs > 1 {
		m.Flags["runs"] = strconv.Itoa(c.Runs)
	}
	return m
}
