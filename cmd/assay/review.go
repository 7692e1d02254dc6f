package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/chat"
	"github.com/assay-dev/assay/internal/llm/endpoint"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/local"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/secret"
)

type reviewCmd struct {
	Base   string   `short:"b" placeholder:"REVISION" help:"Branch, tag or commit to compare with. Default: the remote's default branch, else main or master, else the last commit."`
	Range  string   `placeholder:"A..B" help:"Review commits instead of the working tree: what B adds since it left A."`
	Staged bool     `help:"Review what is staged (git add)."`
	Paths  []string `arg:"" optional:"" help:"Only these files and folders."`

	ModelURL     string        `name:"model-url" env:"ASSAY_REVIEW_MODEL_URL" placeholder:"URL" help:"OpenAI-compatible endpoint, with its version (…/v1)."`
	Model        string        `env:"ASSAY_REVIEW_MODEL" placeholder:"NAME" help:"Model to ask. Without one only deterministic checks run."`
	ModelKeyFile string        `env:"ASSAY_REVIEW_MODEL_KEY_FILE" placeholder:"FILE" help:"File with the key of the endpoint. The key itself can be in $$ASSAY_REVIEW_MODEL_KEY."`
	ModelWait    time.Duration `name:"model-wait" default:"30s" placeholder:"TIME" help:"How long to wait in all for a model that is down or overloaded, at most 1h. 0s: not at all."`

	Format  string `short:"f" enum:"${formats}" default:"text" help:"text, json, sarif or markdown."`
	Output  string `short:"o" placeholder:"FILE" help:"Write the report to a file."`
	FailOn  string `enum:"info,low,medium,high,critical,never" default:"medium" placeholder:"SEVERITY" help:"Lowest severity that makes the exit code 1: info, low, medium, high, critical, never."`
	All     bool   `help:"Also findings of little confidence."`
	NoColor bool   `help:"No colours. $$NO_COLOR does the same."`
	Quiet   bool   `short:"q" help:"No progress, only the report."`
}

// Help implements kong.HelpProvider.
func (reviewCmd) Help() string {
	return `It needs no service, no database and, without a model, no key and no network. It reads with git and changes nothing. Secrets, and other findings that always block, count whatever --fail-on says, but for "never".

Exit code: 0 nothing at or above --fail-on, 1 findings, 2 the review could not be done or is incomplete.

Examples:

    assay review
    assay review --base main
    assay review --staged --fail-on high
    assay review --range v1.2.0..HEAD --format sarif --output assay.sarif
    assay review --base main --model-url http://localhost:11434/v1 --model qwen3-coder`
}

// Run implements the command.
func (r *reviewCmd) Run(e *env) error {
	if err := r.check(); err != nil {
		return err
	}
	models, err := r.models(e)
	if err != nil {
		return &failure{report.ExitError, err}
	}
	ctx, stop := e.interrupted()
	defer stop()
	code, err := r.review(ctx, e, models)
	if err != nil {
		return &failure{report.ExitError, err}
	}
	if code != report.ExitClean {
		return quiet(code)
	}
	return nil
}

func (r *reviewCmd) check() error {
	switch {
	case r.Range != "" && (r.Staged || r.Base != ""):
		return usageError("--range names both ends: it goes with neither --staged nor --base")
	case (r.ModelURL == "") != (r.Model == ""):
		return usageError("--model-url and --model go together")
	case r.ModelURL == "" && r.ModelKeyFile != "":
		return usageError("--model-key-file goes with --model-url and --model")
	case r.ModelWait < 0 || r.ModelWait > time.Hour:
		return usageError("--model-wait must be between 0s and 1h")
	}
	return nil
}

func (r *reviewCmd) review(ctx context.Context, e *env, models *engine.Models) (int, error) {
	o := local.Options{Base: r.Base, Range: r.Range, Staged: r.Staged, Paths: r.Paths, Models: models, Version: version}
	if !r.Quiet && terminal(e.stderr) {
		o.Progress = e.stderr
	}
	got, err := local.Run(ctx, o)
	if err != nil {
		return 0, err
	}
	format := report.Options{Format: r.Format, All: r.All}
	if r.Format == "text" {
		format.Format = "terminal"
		format.Color = r.Output == "" && !r.NoColor && os.Getenv("NO_COLOR") == "" && terminal(e.stdout)
		format.Width = width(e.stdout)
	}
	var b bytes.Buffer
	if err := report.Write(&b, got, format); err != nil {
		return 0, fmt.Errorf("write the report: %w", err)
	}
	if r.Output == "" {
		_, err = e.stdout.Write(b.Bytes())
	} else if err = os.WriteFile(r.Output, b.Bytes(), 0o644); err == nil && !r.Quiet { //nolint:gosec // a report is for everybody
		e.say("The report is in %s.", printable(r.Output))
	}
	if err != nil {
		return 0, fmt.Errorf("write the report: %w", err)
	}
	return got.ExitCode(r.severity()), nil
}

// severity is nil where findings never fail.
func (r *reviewCmd) severity() *domain.Severity {
	s, ok := domain.ParseSeverity(r.FailOn)
	if !ok {
		return nil
	}
	return &s
}

// models opens the model that the flags name, nil for none.
func (r *reviewCmd) models(e *env) (*engine.Models, error) {
	if r.Model == "" {
		return nil, nil
	}
	key, err := r.key(e)
	if err != nil {
		return nil, err
	}
	client, err := localClient(r.ModelURL)
	if err != nil {
		return nil, err
	}
	codec, err := chat.New(chat.Config{BaseURL: r.ModelURL, APIKey: key, HTTP: client})
	if err != nil {
		return nil, err
	}
	set := endpoint.New(endpoint.Options{Concurrent: 4, Retry: endpoint.Retry{Window: 10*time.Minute + r.ModelWait, InPlace: max(r.ModelWait, 1)}})
	hooks := endpoint.Hooks{}
	if !r.Quiet {
		hooks.Tried = e.waiting(r.ModelWait)
	}
	route := engine.Route{Client: set.For("local").Wrap(codec, time.Time{}, hooks), Model: r.Model, Tier: "standard"}
	return &engine.Models{Fast: route, Standard: route, Strong: route}, nil
}

// waiting says on stderr, once for each reason, why a model is asked again and
// for how long.
func (e *env) waiting(most time.Duration) func(ctx context.Context, a endpoint.Attempt) {
	var mu sync.Mutex
	said := map[string]bool{}
	return func(_ context.Context, a endpoint.Attempt) {
		failed, ok := errors.AsType[*llm.Error](a.Err)
		if !ok || a.Wait == 0 {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if words := printable(failed.Words()); !said[words] {
			said[words] = true
			if terminal(e.stderr) {
				_, _ = fmt.Fprint(e.stderr, "\r\x1b[K") // over the line of progress (ECMA-48, EL)
			}
			e.say("The model does not answer: %s It is asked again, for %s at most (--model-wait).", words, most)
		}
	}
}

// maxKey bounds the file with a key.
const maxKey = 64 << 10

func (r *reviewCmd) key(e *env) (secret.Secret, error) {
	if r.ModelKeyFile == "" {
		return secret.New(strings.TrimSpace(e.variable("ASSAY_REVIEW_MODEL_KEY"))), nil
	}
	info, err := os.Stat(r.ModelKeyFile)
	if err == nil && info.Size() > maxKey {
		return secret.Secret{}, fmt.Errorf("--model-key-file: %s is too large for a key", r.ModelKeyFile)
	}
	raw, err := os.ReadFile(r.ModelKeyFile)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("--model-key-file: %w", err)
	}
	return secret.New(strings.TrimSpace(string(raw))), nil
}

// localClient reaches the endpoint that the person at the terminal named, also
// on this machine or in a private network, and nothing else that is private.
func localClient(base string) (*http.Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--model-url must be an address such as http://localhost:11434/v1")
	}
	host := u.Host
	if u.Port() == "" {
		host += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	f := outbound.New(outbound.Policy{AllowHTTP: true, AllowedHosts: []string{host}, UserAgent: "assay/" + version})
	return f.Client(outbound.Purpose{Name: "model", Timeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxResponseBytes: 16 << 20}), nil
}
