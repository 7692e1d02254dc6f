package main

import (
	"fmt"
	"io"
	"os"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/doctor"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (doctorCmd) Help() string {
	return `It looks and changes nothing, and may run beside a running service. Exit code: 0 when nothing failed (warnings
allowed), 1 when something did. Codes never change their meaning.

Examples:

    assay doctor
    assay doctor --json | jq '.checks[] | select(.status == "fail")'`
}

// Run implements the command.
func (d *doctorCmd) Run(e *env) error {
	c, cerr := e.config()
	ctx, stop := e.interrupted()
	defer stop()
	parts, closeParts, err := app.Inspect(app.Options{Config: c, Children: e.children, Version: version, Logger: e.logger(c)})
	if err != nil && cerr == nil {
		cerr = err
	}
	defer closeParts()
	o := doctor.Options{Config: c, ConfigErr: cerr, Unknown: unknownVars(c), Version: version, Parts: parts}
	if err != nil || parts.Store == nil {
		return fmt.Errorf("the outbound settings cannot be used: %w", cerr)
	}
	r := doctor.Examine(ctx, o)
	if d.JSON {
		err = writeJSON(e.stdout, r)
	} else {
		err = printReport(e.stdout, r, terminal(e.stdout) && os.Getenv("NO_COLOR") == "")
	}
	if err == nil && !r.OK {
		return quiet(exitFailed)
	}
	return err
}

// colours maps outcomes to escape sequences (ECMA-48, SGR).
var colours = map[doctor.Status]string{doctor.OK: "\x1b[32m", doctor.Warn: "\x1b[33m", doctor.Fail: "\x1b[31m", doctor.Skip: "\x1b[2m"}

func printReport(w io.Writer, r doctor.Report, colour bool) error {
	count := map[doctor.Status]int{}
	for _, c := range r.Checks {
		count[c.Status]++
		word := fmt.Sprintf("%-4s", c.Status)
		if colour {
			word = colours[c.Status] + word + "\x1b[0m"
		}
		if _, err := fmt.Fprintf(w, "%s  %s  %s: %s\n", word, c.Code, printable(c.Name), printable(c.Message)); err != nil {
			return err
		}
		if c.Fix != "" {
			fmt.Fprintf(w, "            fix: %s\n", printable(c.Fix))
		}
	}
	_, err := fmt.Fprintf(w, "\n%d ok, %d warnings, %d failed, %d skipped\n", count[doctor.OK], count[doctor.Warn], count[doctor.Fail],
		count[doctor.Skip])
	return err
}
