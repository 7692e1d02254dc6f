package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/store"
)

type migrateCmd struct {
	Status bool `help:"Only show where the schema stands. Exit code 1 when steps are missing."`
}

// Help implements kong.HelpProvider.
func (migrateCmd) Help() string {
	return `Steps only add to the schema, so that workers of the version before keep working meanwhile. Still take a backup
first. assay serve does this by itself at start.

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
	db, err := c.Database()
	if err != nil {
		return err
	}
	open := app.OpenStore
	if m.Status {
		open = app.OpenStoreBeside // also while a service runs
	} else if err := c.EnsureDataDir(); err != nil {
		return err
	}
	s, err := open(ctx, c)
	if m.Status && errors.Is(err, fs.ErrNotExist) {
		return e.printSteps(db.Engine, store.SchemaState{}, true)
	}
	if err != nil {
		return err
	}
	defer closing(s.Close, &err)
	state, err := s.Schema(ctx)
	if err != nil {
		return err
	}
	if state.Current > state.Newest {
		fmt.Fprintf(e.stdout, "the schema is at step %d, newer than this program knows (%d); it needs assay %s or newer\n", state.Current,
			state.Newest, state.MinVersion)
		return s.CheckVersion(ctx, version)
	}
	switch err := e.printSteps(db.Engine, state, m.Status); {
	case m.Status:
		return err
	case err == nil:
		fmt.Fprintf(e.stdout, "the schema is up to date (step %d)\n", state.Current)
		return nil
	case !errors.As(err, new(quiet)):
		return err
	}
	n, err := s.Migrate(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%d steps were missing and are done now; the schema is at step %d\n", n, state.Newest)
	return nil
}

// printSteps lists the steps of the schema, all of them or only the missing ones. It returns a silent error if
// a step is missing.
func (e *env) printSteps(engine string, state store.SchemaState, all bool) error {
	steps, err := app.Steps(engine)
	if err != nil {
		return err
	}
	missing := 0
	for _, step := range steps {
		word := "done"
		if step.Number > state.Current {
			word, missing = "missing", missing+1
		}
		if all || word == "missing" {
			fmt.Fprintf(e.stdout, "%-8s %s\n", word, step.Name)
		}
	}
	if missing > 0 {
		return quiet(exitFailed)
	}
	return nil
}
