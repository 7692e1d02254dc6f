package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/eval/seeded"
)

type evalCmd struct {
	Run     evalRunCmd     `cmd:"" help:"Review cases and say what was found, missed and invented."`
	Report  evalReportCmd  `cmd:"" help:"Report the results of a stored run."`
	Compare evalCompareCmd `cmd:"" help:"Compare two runs over the same cases."`
	Plan    evalPlanCmd    `cmd:"" help:"Name the cheapest settings that reach a recall, among stored runs."`
	Judge   evalJudgeCmd   `cmd:"" help:"Let models say whether findings are the defects that are known."`
	Cases   evalCasesCmd   `cmd:"" help:"List cases."`
	Mine    evalMineCmd    `cmd:"" help:"Make cases from the repairs in a repository's history."`
	Export  evalExportCmd  `cmd:"" help:"Write the seeded cases into a folder, to read or to change them."`
}

// caseFlags select the cases of a command.
type caseFlags struct {
	Seeded      bool   `help:"The cases that come with the program. They are taken where no other set is named."`
	Folder      string `placeholder:"FOLDER" help:"Cases in a folder: <id>/case.json, <id>/base, <id>/head."`
	List        string `placeholder:"FILE" help:"A list of commits, JSON lines; their code comes from --repos."`
	Mined       string `placeholder:"REPOSITORY" help:"The repairs in the history of a repository, turned round."`
	AACR        string `name:"aacr" placeholder:"FOLDER" help:"A copy of AACR-Bench."`
	Martian     string `placeholder:"FOLDER" help:"A copy of Martian's code review benchmark."`
	ReviewBench string `name:"reviewbench" placeholder:"FOLDER" help:"A copy of ReviewBench."`
	Repos       string `placeholder:"FOLDER" help:"Git copies of repositories, as owner+name or owner/name, for sets without code."`

	Only     string `placeholder:"REGEXP" help:"Only cases whose id matches, or set/id if it has a slash."`
	Language string `placeholder:"NAME" help:"Only cases in this language."`
	Kind     string `enum:"defect,clean," default:"" placeholder:"KIND" help:"Only these: defect, clean."`
	Held     string `enum:"without,only,with" default:"without" placeholder:"WHICH" help:"Cases that are kept back from tuning: without them (the default), only, with."`
	Limit    int    `placeholder:"N" help:"At most so many cases of each set, spread over it."`
}

// sources opens the sets that the flags name.
func (f *caseFlags) sources(ctx context.Context, told cases.Progress) ([]eval.Set, error) {
	var out []eval.Set
	for _, s := range []struct {
		name string
		open func(string) eval.Set
	}{
		{f.Folder, cases.Folder},
		{f.List, func(n string) eval.Set { return cases.List(n, f.Repos) }},
		{f.AACR, func(n string) eval.Set { return cases.AACR(n, f.Repos) }},
		{f.Martian, func(n string) eval.Set { return cases.Martian(n, f.Repos) }},
		{f.ReviewBench, func(n string) eval.Set { return cases.ReviewBench(n, f.Repos) }},
	} {
		if s.name != "" {
			out = append(out, s.open(s.name))
		}
	}
	if f.Mined != "" {
		mined, err := cases.Mine(ctx, f.Mined, cases.MineOptions{Progress: told})
		if err != nil {
			return nil, fmt.Errorf("--mined: %w", err)
		}
		out = append(out, mined)
	}
	if f.Seeded || len(out) == 0 {
		own, err := seeded.New()
		if err != nil {
			return nil, err
		}
		out = append(out, own)
	}
	return out, nil
}

// chosen is the selected cases of one set.
type chosen struct {
	set   eval.Set
	cases []eval.Case
}

// choose returns the selected cases. It reports progress to told while it mines them.
func (f *caseFlags) choose(ctx context.Context, told cases.Progress) ([]chosen, error) {
	only, err := regexp.Compile(f.Only)
	if err != nil {
		return nil, usageError("--only must be a regular expression: %v", err)
	}
	if f.Limit < 0 {
		return nil, usageError("--limit must be a number from 1 on")
	}
	sets, err := f.sources(ctx, told)
	if err != nil {
		return nil, err
	}
	var out []chosen
	for _, s := range sets {
		all, err := s.Cases(ctx)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(slices.Clone(all), func(c eval.Case) bool {
			named := only.MatchString(c.ID) || strings.Contains(f.Only, "/") && only.MatchString(c.Set+"/"+c.ID)
			return !named || f.Kind != "" && string(c.Kind) != f.Kind ||
				f.Language != "" && !strings.EqualFold(c.Language, f.Language) ||
				c.Held && f.Held == "without" || !c.Held && f.Held == "only"
		})
		if all = sampleEvenly(all, f.Limit); len(all) > 0 {
			out = append(out, chosen{s, all})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no case is left: the sets are empty, or --only, --kind, --language or --held leave none")
	}
	return out, nil
}

// sampleEvenly returns n cases at even distances, or all if n is 0 or there are fewer.
func sampleEvenly(all []eval.Case, n int) []eval.Case {
	if n == 0 || len(all) <= n {
		return all
	}
	out := make([]eval.Case, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

type evalCasesCmd struct {
	caseFlags `embed:""`
	JSON      bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (evalCasesCmd) Help() string {
	return `Examples:

    assay eval cases --language go
    assay eval cases --folder my-cases --json`
}

// Run implements the command.
func (c *evalCasesCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	list, err := c.choose(ctx, e.progressPrinter())
	if err != nil {
		return err
	}
	var all []eval.Case
	for _, l := range list {
		all = append(all, l.cases...)
	}
	if c.JSON {
		return writeJSON(e.stdout, all)
	}
	rows := make([][]string, len(all))
	for i, v := range all {
		rows[i] = []string{cell(v.Set, 20), cell(v.ID, 60), string(v.Kind), cmp.Or(cell(v.Language, 12), "-"), fmt.Sprint(len(v.Golden)),
			cell(v.Title, 50)}
	}
	return table(e.stdout, []string{"SET", "CASE", "KIND", "LANGUAGE", "GOLDEN", "TITLE"}, rows)
}

type evalMineCmd struct {
	Repository string   `arg:"" optional:"" help:"A git repository. It is only read."`
	Modules    []string `placeholder:"MODULE" help:"Instead of a repository: neighbouring patch releases of these cached Go modules."`
	Modcache   string   `env:"GOMODCACHE" placeholder:"FOLDER" help:"Go's module cache, for --modules."`
	Output     string   `short:"o" required:"" placeholder:"FOLDER" help:"Where to write the cases."`
	Licence    string   `placeholder:"SPDX" help:"Licence of the code, for the record."`
	Commits    int      `default:"5000" help:"Most commits to look at, from HEAD on."`
	Defects    int      `default:"100" help:"Most cases with a defect; as many without one are looked for."`
	Seed       uint64   `help:"Chooses where there are more."`
	Quiet      bool     `short:"q" help:"No progress, only what came of it."`
}

// Help implements kong.HelpProvider.
func (evalMineCmd) Help() string {
	return `A repair that changes 2 to 80 lines of 1 to 4 source files, and a test, becomes a case: turned round, it brings
the defect in. A change that later repairs did not touch becomes a clean case.

Examples:

    assay eval mine . --output /tmp/cases
    assay eval run --folder /tmp/cases --model-url http://localhost:11434/v1 --model qwen3-coder`
}

// Run implements the command.
func (c *evalMineCmd) Run(e *env) error {
	if (c.Repository == "") == (len(c.Modules) == 0) {
		return usageError("name a repository or --modules, one of them")
	}
	if c.Commits < 1 || c.Defects < 1 {
		return usageError("--commits and --defects must be numbers from 1 on")
	}
	ctx, stop := e.interrupted()
	defer stop()
	told := e.progressPrinter()
	if c.Quiet {
		told = nil
	}
	mined, err := c.mine(ctx, told)
	if err != nil {
		return err
	}
	if err := mined.Write(ctx, c.Output); err != nil {
		return err
	}
	r := mined.Report
	e.say("%d cases with a defect and %d without (%d of them turned round), of %d looked at, are in %s.", r.Defects, r.Clean,
		r.Reversed, r.Looked, printable(c.Output))
	for _, why := range sortedKeys(r.Left) {
		e.say("%6d left out: %s", r.Left[why], why)
	}
	return nil
}

// progressInterval is the time between two lines about progress.
const progressInterval = 5 * time.Second

// progressPrinter returns a function that reports the progress of mining on stderr, one line per [progressInterval].
func (e *env) progressPrinter() cases.Progress { return throttledProgress(time.Now, e.say) }

func throttledProgress(now func() time.Time, say func(format string, args ...any)) cases.Progress {
	last := now()
	return func(step string, done, total int) {
		if at := now(); at.Sub(last) >= progressInterval {
			last = at
			say("%s: %d of %d", step, done, total)
		}
	}
}

func (c *evalMineCmd) mine(ctx context.Context, told cases.Progress) (*cases.Mined, error) {
	if len(c.Modules) > 0 {
		if c.Modcache == "" {
			return nil, usageError("--modules needs --modcache, the folder that `go env GOMODCACHE` prints")
		}
		return cases.MineModules(ctx, c.Modcache, c.Modules, told)
	}
	return cases.Mine(ctx, c.Repository, cases.MineOptions{Licence: c.Licence, Commits: c.Commits, Defects: c.Defects, Seed: c.Seed,
		Progress: told})
}

type evalExportCmd struct {
	Output string `arg:"" help:"A folder that is not there yet, or empty."`
}

// Help implements kong.HelpProvider.
func (evalExportCmd) Help() string {
	return `Examples:

    assay eval export seeded-cases`
}

// Run implements the command.
func (c *evalExportCmd) Run(e *env) error {
	set, err := seeded.New()
	if err != nil {
		return err
	}
	if err := set.Export(c.Output); err != nil {
		return err
	}
	e.say("The seeded cases are in %s.", printable(c.Output))
	return nil
}
