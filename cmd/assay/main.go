// Command assay is the whole product in one program: the service, its tools for operators, and the review of a
// local checkout. Each subcommand has a file; it decodes flags, calls a package and prints. Product logic, and
// anything that a second program could use, belongs into packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9/logging"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/logsafe"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/sandbox"
)

// version is set by the linker (see Makefile).
var version = "dev"

func main() {
	// first: this may be a child
	children := sandbox.Enter(map[string]sandbox.Work{check.ChildWork: check.Serve, analysers.ReadWork: analysers.Serve})
	// the client of the key-value store would write to stderr what its callers report
	logging.Disable()
	os.Exit(run(os.Args[1:], environ(children)))
}

// Exit codes of every command but review and doctor, which document their own.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// exit is the panic value that stops kong, which would end the process after printing help.
type exit int

// quiet is an error with an exit code but without a message, because everything has been printed.
type quiet int

func (q quiet) Error() string { return fmt.Sprintf("exit code %d", int(q)) }

// run executes a command line and returns the exit code.
func run(args []string, e *env) (code int) {
	defer func() {
		if r := recover(); r != nil {
			c, ok := r.(exit)
			if !ok {
				panic(r)
			}
			code = int(c)
		}
	}()
	e.stdout, e.stderr = logsafe.New(e.stdout), logsafe.New(e.stderr) // output may hold untrusted text
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case len(args) == 1 && args[0] == "--version": // a common first try
		args = []string{"version"}
	case args[0] == "help": // as in git and go
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c cli
	parser, err := newParser(&c, e)
	if err != nil {
		fmt.Fprintln(e.stderr, "assay:", err)
		return exitFailed
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		usage(e.stderr, err)
		refused(e, args, err)
		return exitUsage
	}
	e.configFile = string(c.Config)
	return e.report(ctx.Run(e, ctx))
}

func newParser(c *cli, e *env) (*kong.Kong, error) {
	return kong.New(c, kong.Name("assay"),
		kong.Description("Reviews pull requests with language models: a service that you host, and a reviewer for your own checkout."),
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(groups()),
		kong.Vars{"formats": "text,json,sarif,code-quality,markdown,agent"})
}

// usage prints the error of a command line and a hint.
func usage(w io.Writer, err error) {
	fmt.Fprintln(w, "assay:", printable(choices(numbers(err.Error()))))
	command := "assay"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if n := parse.Context.Selected(); n != nil {
			command = n.FullPath()
		} else if p := lastCommand(parse.Context); p != nil {
			command = p.FullPath()
		}
	}
	fmt.Fprintf(w, "Run \"%s --help\" to see what there is.\n", command)
}

// choices makes kong's message about an invalid value readable: it removes the empty value, which only stands
// for the default.
func choices(message string) string {
	before, list, found := strings.Cut(message, " must be one of ")
	if !found {
		return message
	}
	list, got, _ := strings.Cut(list, " but got ")
	list = strings.ReplaceAll(strings.TrimSuffix(list, `,""`), ",", ", ")
	return before + " must be one of " + list + ", not " + got
}

// numbers makes kong's message about a value that is not a number readable.
func numbers(message string) string {
	if before, _, found := strings.Cut(message, ": expected a valid 64 bit int but got "); found {
		return before + " must be a whole number"
	}
	return message
}

// lastCommand returns the deepest command that kong recognised.
func lastCommand(c *kong.Context) (found *kong.Node) {
	for _, p := range c.Path {
		if p.Command != nil {
			found = p.Command
		}
	}
	return found
}

// report prints an error and returns the exit code.
func (e *env) report(err error) int {
	var q quiet
	var problems config.Problems
	var known *errs.Error
	var wrong *wrongUsage
	if f, ok := errors.AsType[*failure](err); ok {
		e.report(f.err)
		return f.code
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &q):
		return int(q)
	case errors.As(err, &wrong):
		fmt.Fprintln(e.stderr, "assay:", printable(wrong.message))
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.stderr, "assay: interrupted")
		return exitFailed
	case errors.As(err, &problems):
		fmt.Fprintln(e.stderr, "assay: the configuration is not valid:")
		for _, p := range problems {
			fmt.Fprintln(e.stderr, "  -", printable(p.String()))
		}
		fmt.Fprintln(e.stderr, "`assay config check` shows every setting and where its value comes from.")
	case errors.As(err, &known) && known.Message != "" && known.Kind != errs.Internal && known.Cause == nil:
		fmt.Fprintln(e.stderr, "assay:", printable(known.Message))
	default:
		fmt.Fprintln(e.stderr, "assay:", printable(strings.TrimSpace(err.Error())))
	}
	return exitFailed
}

// commit returns the revision of the binary, "" if unknown.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
