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

// env holds a command's streams, variables and context.
type env struct {
	stdin          io.Reader // nil if there is no input
	stdout, stderr io.Writer
	vars           []string // as os.Environ returns it
	configFile     string
	context        context.Context // parent of every command's context; tests set it
	children       *sandbox.Launcher
}

func environ(children *sandbox.Launcher) *env {
	return &env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, vars: os.Environ(), context: context.Background(), children: children}
}

// config loads the configuration from the environment and the configuration file.
func (e *env) config() (config.Config, error) {
	return config.Load(config.Options{Environ: e.vars, File: e.configFile})
}

// variable returns a variable of the environment that is not a setting, "" if unset.
func (e *env) variable(name string) string {
	for _, v := range e.vars {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// logger returns a logger to stderr with the configured level and format, because stdout is for data.
func (e *env) logger(c config.Config) *slog.Logger {
	level, err := c.Level()
	if err != nil {
		level = slog.LevelInfo
	}
	if c.LogFormat == "text" {
		return telemetry.NewLogger(e.stderr, telemetry.LogOptions{Level: level, Format: c.LogFormat})
	}
	return telemetry.NewLogger(logsafe.Raw(e.stderr), telemetry.LogOptions{Level: level, Format: c.LogFormat}) // JSON is for programs
}

// warnUnknown logs variables that look like settings but are not.
func warnUnknown(c config.Config, log *slog.Logger) {
	for _, name := range unknownVars(c) {
		log.Warn("a variable of the environment is not a setting and was ignored", "variable", name)
	}
}

// interrupted returns the context of a command that does one thing. The first signal ends the context, a
// second one ends the process.
func (e *env) interrupted() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(e.context, syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // later signals have their usual effect
	return ctx, stop
}

// signals returns the contexts of a service. The first signal ends ctx, which lets running work finish; the
// second also ends hard.
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

// withStore opens the configured database for a command that reads or changes a row, and closes it afterwards.
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

// withAudit is withStore for a command that changes something: f acts as the operator, and the audit log
// records it.
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

// width returns the width of a terminal, 0 for other writers.
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

// say writes a line for people to stderr, so that it does not mix with data.
func (e *env) say(format string, args ...any) { fmt.Fprintf(e.stderr, format+"\n", args...) }
