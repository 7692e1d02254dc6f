package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/logsafe"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
)

// env is what a command has of the world around the process.
type env struct {
	stdin          io.Reader // nil where nothing is to be read
	stdout, stderr io.Writer
	vars           []string // as os.Environ returns it
	configFile     string
	context        context.Context // the parent of every command's; tests give their own
	children       *sandbox.Launcher
}

func environ(children *sandbox.Launcher) *env {
	return &env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, vars: os.Environ(), context: context.Background(), children: children}
}

// config loads the configuration and warns of variables that nothing reads.
func (e *env) config() (config.Config, error) {
	return config.Load(config.Options{Environ: e.vars, File: e.configFile})
}

// variable is a variable of the environment that is no setting, "" when unset.
func (e *env) variable(name string) string {
	for _, v := range e.vars {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// logger writes to stderr as the configuration says. Data goes to stdout, logs never.
func (e *env) logger(c config.Config) *slog.Logger {
	level, err := c.Level()
	if err != nil {
		level = slog.LevelInfo
	}
	if c.LogFormat == "text" {
		return telemetry.NewLogger(e.stderr, telemetry.LogOptions{Level: level, Format: c.LogFormat})
	}
	return telemetry.NewLogger(logsafe.Raw(e.stderr), telemetry.LogOptions{Level: level, Format: c.LogFormat}) // programs read JSON
}

// warnUnknown logs variables that look like settings and are none.
func warnUnknown(c config.Config, log *slog.Logger) {
	for _, name := range unknownVars(c) {
		log.Warn("a variable of the environment is not a setting and was ignored", "variable", name)
	}
}

// interrupted is a context for commands that do one thing: the first signal
// ends it, a second one ends the process.
func (e *env) interrupted() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(e.context, syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on signals have their usual effect
	return ctx, stop
}

// signals are the contexts of a service: the first signal ends ctx, which lets
// running work finish; the second ends hard.
func (e *env) signals() (ctx, hard context.Context, stop func()) {
	hard, kill := context.WithCancel(e.context)
	ctx, drain := context.WithCancel(hard)
	got := make(chan os.Signal, 2)
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, end := range []func(){drain, kill} {
			select {
			case <-got:
				end()
			case <-hard.Done():
				return
			}
		}
	}()
	return ctx, hard, func() {
		signal.Stop(got)
		kill()
		<-done
	}
}

// withStore opens the configured database for a command that only looks or
// changes a row, and closes it afterwards.
func (e *env) withStore(f func(ctx context.Context, c config.Config, s *store.Store) error) (err error) {
	c, err := e.config()
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	s, err := app.OpenStoreBeside(ctx, c)
	if err != nil {
		return err
	}
	defer closing(s.Close, &err)
	if err := s.CheckVersion(ctx, version); err != nil {
		return err
	}
	return f(ctx, c, s)
}

// withAudit is withStore for a command that changes something: f acts as the
// operator, and its acts go into the audit log.
func (e *env) withAudit(f func(ctx context.Context, c config.Config, s *store.Store, l *audit.Log) error) error {
	return e.withStore(func(ctx context.Context, c config.Config, s *store.Store) error {
		l, err := app.AuditLog(ctx, c, s, e.logger(c))
		if err != nil {
			return err
		}
		return f(audit.As(ctx, app.Operator()), c, s, l)
	})
}

// terminal reports whether a writer is a terminal.
func terminal(w io.Writer) bool {
	f, ok := logsafe.Raw(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is the width of a terminal, 0 for anything else.
func width(w io.Writer) int {
	f, ok := logsafe.Raw(w).(*os.File)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// say writes a line for people to stderr, where it does not mix with data.
func (e *env) say(format string, args ...any) { fmt.Fprintf(e.stderr, format+"\n", args...) }
