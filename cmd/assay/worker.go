package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
)

type workerCmd struct {
	Lanes   []string `placeholder:"LANE[=SLOTS]" help:"Lanes to work on: delivery, review, publish, background, dry-run, sweep. Default: all, with the configured slots."`
	Migrate bool     `help:"Bring the database schema up to date first."`
}

// Help implements kong.HelpProvider.
func (workerCmd) Help() string {
	return `Reviews per minute are about 60 × slots of the review lane ÷ seconds per review. Any number of workers may run;
each job is done by one of them.

Examples:

    assay worker
    assay worker --lanes review=4
    assay worker --lanes delivery,publish,background,dry-run,sweep`
}

// Run implements the command.
func (w *workerCmd) Run(e *env) error {
	c, err := e.config()
	if err != nil {
		return err
	}
	lanes, err := parseLanes(w.Lanes, c)
	if err != nil {
		return err
	}
	return e.service(c, app.Roles{Lanes: lanes}, w.Migrate)
}

// maxSlots bounds the slots of a lane, as in the configuration.
const maxSlots = 1024

// parseLanes parses names, or name=slots. Without names it returns every configured lane.
func parseLanes(names []string, c config.Config) (map[domain.Lane]int, error) {
	all := app.AllLanes(c)
	out := map[domain.Lane]int{}
	if len(names) == 0 {
		for lane, n := range all {
			if n > 0 {
				out[lane] = n
			}
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("every lane has 0 slots: raise one of ASSAY_LANES_DELIVERY, _REVIEW, _PUBLISH, _BACKGROUND, _DRY_RUN, " +
				"_SWEEP, or name --lanes")
		}
		return out, nil
	}
	for _, item := range names {
		name, slots, given := strings.Cut(strings.TrimSpace(item), "=")
		n, known := all[domain.Lane(name)]
		if !known {
			return nil, usageError("--lanes: there is no lane %q; lanes are delivery, review, publish, background, dry-run and sweep", name)
		}
		if _, twice := out[domain.Lane(name)]; twice {
			return nil, usageError("--lanes: lane %s is named twice", name)
		}
		if given {
			var err error
			if n, err = strconv.Atoi(slots); err != nil || n < 1 || n > maxSlots {
				return nil, usageError("--lanes: the slots of lane %s must be a number from 1 to %d", name, maxSlots)
			}
		}
		if n < 1 {
			n = 1 // configured for other processes, but named here
		}
		out[domain.Lane(name)] = n
	}
	return out, nil
}

// lanesText returns lanes with their slots as text for people.
func lanesText(lanes map[domain.Lane]int) string {
	var parts []string
	for lane, n := range lanes {
		parts = append(parts, fmt.Sprintf("%s×%d", lane, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
