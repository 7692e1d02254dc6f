package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-dev/assay/internal/eval/plan"
	"github.com/assay-dev/assay/internal/eval/record"
)

type evalPlanCmd struct {
	Files  []string `arg:"" name:"run" help:"Runs that --output kept, over the same cases, each with other settings: 2 to 20."`
	Recall float64  `required:"" placeholder:"SHARE" help:"Least share of the known defects that reviews must find, above 0 and at most 1."`
	Price  string   `placeholder:"INPUT/OUTPUT" help:"Price of all runs, in dollars per million tokens: 3/15, or 3/15/0.3 with cached input."`
	JSON   bool     `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (evalPlanCmd) Help() string {
	return `Measure the same cases with several settings, such as tiers, models or depths. The plan then names the cheapest run
that reaches the recall, and says if its difference from the other runs may be chance. Runs over other cases are refused.
If findings name their passes, it also says how many defects only one kind of pass has found.

Exit code: 0 a run reaches the recall; 1 a file is wrong, or the runs cannot be compared; 2 a flag is wrong; 3 no run
reaches it, and the best one is named.

Examples:

    assay eval run --tier T1 --model-kind anthropic --model claude-sonnet-4-5 --output t1.json
    assay eval run --tier T3 --model-kind anthropic --model claude-sonnet-4-5 --output t3.json
    assay eval plan t1.json t3.json --recall 0.6
    assay eval plan first.json second.json --recall 0.6 --price 3/15/0.3 --json`
}

// noneReaches is the exit code of a plan without a run that reaches the recall.
const noneReaches = 3

// Run implements the command.
func (c *evalPlanCmd) Run(e *env) error {
	if !(c.Recall > 0 && c.Recall <= 1) { // NaN is neither
		return usageError("--recall must be above 0 and at most 1")
	}
	if n := len(c.Files); n < plan.MinRuns || n > plan.MaxRuns {
		return usageError("name %d to %d runs", plan.MinRuns, plan.MaxRuns)
	}
	var price *plan.Price
	if c.Price != "" {
		var err error
		if price, err = plan.ParsePrice(c.Price); err != nil {
			return usageError("--price: %v", err)
		}
	}
	var runs []plan.Entry
	var files []os.FileInfo
	for _, name := range c.Files {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if at := slices.IndexFunc(files, func(f os.FileInfo) bool { return os.SameFile(f, info) }); at >= 0 && runs[at].Name != name {
			return usageError("%s and %s are the same file: name each run once", runs[at].Name, name)
		} else if at >= 0 {
			return usageError("%s is named twice", name)
		}
		files = append(files, info)
		run, err := record.Load(name)
		if err != nil {
			return err
		}
		runs = append(runs, plan.Entry{Name: name, Run: run})
	}
	shortenNames(runs)
	p, err := plan.Make(runs, c.Recall, price)
	if err != nil {
		return err
	}
	if err := c.print(e, p); err != nil {
		return err
	}
	if p.Chosen == "" {
		return quiet(noneReaches)
	}
	return nil
}

// shortenNames names runs by their files without folders, unless two of these are equal.
func shortenNames(runs []plan.Entry) {
	short := map[string]bool{}
	for _, r := range runs {
		short[filepath.Base(r.Name)] = true
	}
	if len(short) < len(runs) {
		return
	}
	for i := range runs {
		runs[i].Name = filepath.Base(runs[i].Name)
	}
}

func (c *evalPlanCmd) print(e *env, p plan.Plan) error {
	if c.JSON {
		return writeJSON(e.stdout, p)
	}
	fmt.Fprintf(e.stdout, "A recall of at least %g, over %d cases with %d known defects. The cheapest run is first.\n\n",
		p.Recall, p.Cases, p.Golden)
	head, rows := p.Rows()
	for _, r := range rows {
		for i := range r {
			r[i] = cell(r[i], 60)
		}
	}
	if err := table(e.stdout, head, rows); err != nil {
		return err
	}
	fmt.Fprintln(e.stdout)
	for _, s := range p.Says {
		fmt.Fprintln(e.stdout, printable(s))
	}
	for _, a := range p.Against {
		fmt.Fprintf(e.stdout, "\n%s, compared with %s:\n", printable(a.Run), printable(p.Compared))
		for _, s := range a.Says {
			fmt.Fprintln(e.stdout, "  "+s)
		}
	}
	if head, rows := p.PassRows(); len(rows) > 0 {
		fmt.Fprintln(e.stdout, "\nWithout a kind of pass, by the findings of these runs:")
		return table(e.stdout, head, rows)
	}
	return nil
}
