// Command mutants measures how many planted faults the tests of ten core packages notice.
//
// It puts small faults (mutants) into one copy of a room's production files, each
// behind a switch, builds the room's tests once with that copy, and runs them once
// without a fault and once with each that they reach. A mutant is killed if the tests
// fail, or if they exceed three times their usual time and 30 s. The tree is not written to.
//
//	go run ./test/mutants -room publish,run -json before.json
//	go run ./test/mutants -room publish,run -compare before.json
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// coreRooms are the packages below internal/ whose tests are measured by default.
const coreRooms = "publish,run,jobs,store,policy,webhook,review/engine,codehost/wire,auth,budget"

// perRoom is the number of mutants in a room.
const perRoom = 20

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// config holds the flags of one run.
type config struct {
	rooms    []string
	packages []string // further packages whose tests see the survivors
	tree     string   // root folder of the module under test
	seed     uint64
	list     bool
	json     string // file that takes the report; "" means none
	before   *report
}

func parse(args []string, out io.Writer) (config, error) {
	var c config
	var rooms, packages, compare string
	f := flag.NewFlagSet("mutants", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&rooms, "room", coreRooms, "packages below internal/, separated by commas")
	f.StringVar(&packages, "packages", "", "packages, separated by commas, whose tests the survivors are run against, too")
	f.StringVar(&c.tree, "dir", ".", "a folder of the module under test")
	f.Uint64Var(&c.seed, "seed", 1, "chooses the mutants")
	f.BoolVar(&c.list, "list", false, "print the mutants, run no tests")
	f.StringVar(&c.json, "json", "", "file that takes the report")
	f.StringVar(&compare, "compare", "", "report of an earlier run; prints the mutants whose fate differs")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if f.NArg() > 0 {
		return c, errors.New("unexpected argument after the flags")
	}
	c.rooms = strings.Split(rooms, ",")
	if packages != "" {
		c.packages = strings.Split(packages, ",")
	}
	if compare == "" {
		return c, nil
	}
	before, err := readReport(compare)
	c.before = &before
	return c, err
}

func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	if c.tree, err = moduleRoot(ctx, c.tree); err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d, %s\n", c.seed, c.tree)
	rep := report{Seed: c.seed}
	for _, name := range c.rooms {
		r, err := load(ctx, c.tree, name)
		if err != nil {
			return err
		}
		mutants, dropped, err := r.choose(c.seed, perRoom)
		if err != nil {
			return err
		}
		if c.list {
			fmt.Fprintf(out, "\n%s: %d mutants, %d dropped because they do not compile\n", name, len(mutants), dropped)
			for _, m := range mutants {
				fmt.Fprintln(out, " ", m)
			}
			continue
		}
		res := outcome{Room: name, Dropped: dropped}
		if res.Mutants, res.Seconds, err = measure(ctx, r, mutants, c.packages); err != nil {
			if ctx.Err() != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, "mutants:", err)
			res.Error = err.Error()
		}
		rep.Rooms = append(rep.Rooms, res)
		if err := rep.save(c.json); err != nil {
			return err
		}
	}
	if c.list {
		return nil
	}
	rep.print(out)
	if c.before != nil {
		rep.compare(out, *c.before)
	}
	if slices.ContainsFunc(rep.Rooms, func(o outcome) bool { return o.Error != "" }) {
		return errors.New("not every room was measured")
	}
	return nil
}
