package main

import (
	"fmt"

	"github.com/assay-dev/assay/internal/app"
)

type migrateCmd struct {
	Status bool `help:"Only show where the schema stands. Exit code 1 when steps are missing."`
}

// Help implements kong.HelpProvider.
func (migrateCmd) Help() string {
	return `Steps only add to the schema, so that workers of the version before keep working meanwhile. Take a backup first all the same. assay serve does this by itself at start.

Examples:

    assay migrate --status
    assay migrate`
}

// Run implements the command.
func (m *migrateCmd) Run(e *env) (err error) {
	c, err := e.config()
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	if err := c.EnsureDataDir(); err != nil {
		return err
	}
	s, err := app.OpenStore(ctx, c)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}()
	state, err := s.Schema(ctx)
	if err != nil {
		return err
	}
	if state.Current > state.Newest {
		fmt.Fprintf(e.stdout, "the schema is at step %d, newer than this program knows (%d); it needs assay %s or newer\n", state.Current, state.Newest, state.MinVersion)
		return s.CheckVersion(ctx, version)
	}
	steps, err := app.Steps(s.Engine())
	if err != nil {
		return err
	}
	missing := 0
	for _, step := range steps {
		word := "done"
		if step.Number > state.Current {
			word, missing = "missing", missing+1
		}
		if m.Status || word == "missing" {
			fmt.Fprintf(e.stdout, "%-8s %s\n", word, step.Name)
		}
	}
	switch {
	case m.Status:
		fmt.Fprintf(e.stdout, "%s, at step %d of %d\n", s.Engine(), state.Current, state.Newest)
		if missing > 0 {
			return quiet(exitFailed)
		}
		return nil
	case missing == 0:
		fmt.Fprintf(e.stdout, "the schema is up to date (step %d)\n", state.Current)
		return nil
	}
	n, err := s.Migrate(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%d of %d steps were missing and are done now; the schema is at step %d\n", n, len(steps), state.Newest)
	return nil
}
