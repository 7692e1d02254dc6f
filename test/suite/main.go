// Command suite runs packages of Go tests with servers that all of them share, and reports where the
// time went.
//
//	go run ./test/suite [-p 3] [-parallel 8] [-timeout 25m] [-first 'test/browser|test/e2e'] package…
//
// It starts one PostgreSQL and one Redis or Valkey for the whole run. It prints one line for each
// package that passed, the whole output of each package that failed, and at the end the packages and
// tests that took longest. Tests that stop or pause a server start their own. TEST_FLAGS holds further
// flags of go test.
//
// Test programs are linked without tables for debuggers, which takes half of the time. Stack traces do
// not need them.
//
// The exit code is not 0 if a package failed or no test ran. test/run decides which packages must
// pass.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// errFailed means that tests failed. Their output was printed.
var errFailed = errors.New("tests failed")

func main() {
	if len(os.Args) > 2 && os.Args[1] == measureCommand {
		os.Exit(measure(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errFailed):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(2)
	}
}

// options are the flags of the command.
type options struct {
	packages int           // built and tested at the same time
	parallel int           // concurrent tests in each package
	timeout  time.Duration // of a package
	first    string        // matches packages that begin before the others
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("suite", flag.ContinueOnError)
	flags.IntVar(&o.packages, "p", runtime.NumCPU()+1, "packages at once")
	flags.IntVar(&o.parallel, "parallel", 8, "tests at once in each package")
	flags.DurationVar(&o.timeout, "timeout", 25*time.Minute, "most time of one package")
	flags.StringVar(&o.first, "first", "", "regular expression of packages that begin before the others")
	if err := flags.Parse(args); err != nil {
		return err
	}
	packages, err := ordered(flags.Args(), o.first)
	if err != nil {
		return err
	}
	servers, err := testkit.StartServers()
	if err != nil {
		return err
	}
	defer servers.Stop()
	return test(ctx, o, servers.Env(), packages, out)
}

// ordered returns the packages, matching ones first.
func ordered(packages []string, first string) ([]string, error) {
	if first == "" {
		return packages, nil
	}
	match, err := regexp.Compile(first)
	if err != nil {
		return nil, fmt.Errorf("-first: %w", err)
	}
	slices.SortStableFunc(packages, func(a, b string) int { return rank(match, a) - rank(match, b) })
	return packages, nil
}

func rank(first *regexp.Regexp, name string) int {
	if first.MatchString(name) {
		return 0
	}
	return 1
}

// test runs go test and reports its results.
func test(ctx context.Context, o options, env, packages []string, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	times, err := os.CreateTemp("", "assay-suite-times-*")
	if err != nil {
		return err
	}
	defer os.Remove(times.Name()) //nolint:errcheck // a file of a few kilobytes
	defer times.Close()           //nolint:errcheck // it is read again by name
	args := []string{"test", "-json", "-vet=off", "-ldflags=-s", "-exec", strconv.Quote(self) + " " + measureCommand,
		"-p", strconv.Itoa(o.packages), "-parallel", strconv.Itoa(o.parallel), "-timeout", o.timeout.String()}
	args = append(append(args, strings.Fields(os.Getenv("TEST_FLAGS"))...), packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	cmd.Env = append(append(os.Environ(), env...), timesEnv+"="+times.Name())
	cmd.Stderr = out
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := newReport(out)
	readErr := r.read(stdout)
	waitErr := cmd.Wait()
	measured, err := readTimes(times.Name())
	if err != nil {
		return err
	}
	r.summary(measured)
	switch {
	case readErr != nil:
		return readErr
	case r.passed == 0:
		return errors.New("no test ran")
	case waitErr != nil || r.failed > 0:
		return errFailed
	}
	return nil
}
