package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/logsafe"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/local"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/tracker"
)

type reviewCmd struct {
	Base   string   `short:"b" placeholder:"REVISION" help:"Branch, tag or commit to compare with. Default: the target of the pull request in a pipeline, else the remote's default branch, else main or master; if one of these is checked out, only uncommitted changes count."`
	Range  string   `placeholder:"A..B" help:"Review commits instead of the working tree: the changes of B since it left A."`
	Staged bool     `help:"Review what is staged (git add)."`
	Paths  []string `arg:"" optional:"" help:"Only these files and folders."`

	Ticket string `placeholder:"FILE" help:"Markdown file of an issue whose acceptance criteria the change must meet. Needs a model."`

	Sarif []string `placeholder:"FILE" sep:"none" help:"SARIF file of another tool, whose results join the review; can be repeated."`

	Analyser []string `placeholder:"NAME" sep:"none" help:"Run a configured analyser, or PROFILE=PATH of its program; can be repeated."`

	ownerFlag  `embed:""`
	modelFlags `embed:""`

	Format  string `short:"f" enum:"${formats}" default:"text" help:"text, json, sarif, code-quality (GitLab), markdown, or agent (compact)."`
	Output  string `short:"o" placeholder:"FILE" help:"Write the report to a file; - is standard output."`
	FailOn  string `enum:"info,low,medium,high,critical,never" default:"medium" placeholder:"SEVERITY" help:"Lowest severity that makes the exit code 1: info, low, medium, high, critical, never. Default: medium."`
	All     bool   `help:"Also findings of little confidence."`
	NoColor bool   `help:"No colours. $$NO_COLOR does the same."`
	Quiet   bool   `short:"q" help:"No progress, only the report."`

	Contract string `enum:"reviewbench," default:"" placeholder:"NAME" help:"Review as a benchmark of reviewers asks: reviewbench (it sets RB_BASE, RB_HEAD, RB_OUT and others)."`
}

// ownerFlag is the flag of commands that read a checkout.
type ownerFlag struct {
	TrustOwner bool `help:"Read another user's checkout, as in a container job. Your git setting safe.directory does the same."`
}

// Help implements kong.HelpProvider.
func (reviewCmd) Help() string {
	return `It needs no service, no database and, without a model, no key and no network. It reads with git and changes
nothing. Secrets and other findings that always block count whatever --fail-on says, but for "never". A value that may
be a secret is listed and never counts.

Exit code: 0 nothing at or above --fail-on, 1 findings, 2 the review could not be done or is incomplete.

Examples:

    assay review
    assay review --base main
    assay review --staged --fail-on high
    assay review --range v1.2.0..HEAD --format sarif --output assay.sarif
    assay review --base main --sarif golangci.sarif --sarif semgrep.sarif
    assay review --base main --analyser shellcheck=/usr/bin/shellcheck
    assay review --base main --ticket issue.md --model-url http://localhost:11434/v1 --model qwen3-coder
    assay review --base main --model-url http://localhost:11434/v1 --model qwen3-coder`
}

// Run implements the command.
func (r *reviewCmd) Run(e *env, given *kong.Context) error {
	if err := givenEmpty(given, r.Paths); err != nil {
		return r.refuse(e, err)
	}
	if r.Output == "-" { // as in other programs
		r.Output = ""
	}
	if r.Contract != "" {
		others := len(r.Sarif) > 0 || len(r.Analyser) > 0 || len(r.Paths) > 0
		if others || r.Ticket != "" || r.Range != "" || r.Base != "" || r.Staged || r.Output != "" || r.Format != "text" {
			return r.refuse(e, usageError("--contract says by its variables what is reviewed and where the findings go: it takes no other "+
				"flags than those of the model"))
		}
		ctx, stop := e.interrupted()
		defer stop()
		if err := r.bench(ctx, e); err != nil {
			return &failure{report.ExitError, err}
		}
		return nil
	}
	if err := r.check(e); err != nil {
		return r.refuse(e, err)
	}
	ctx, stop := e.interrupted()
	defer stop()
	code, err := r.review(ctx, e)
	if err != nil {
		code = e.report(&failure{report.ExitError, err})
		if r.Output != "" || slices.Contains([]string{"json", "sarif", "code-quality"}, r.Format) {
			// an older or empty file must not pass for the report
			if again := r.write(e, report.Failed(version, err)); again == nil {
				r.announce(e)
			} else if again.Error() != err.Error() {
				e.report(again)
			}
		}
		return quiet(code)
	}
	r.announce(e)
	if code != report.ExitClean {
		return quiet(code)
	}
	return nil
}

func (r *reviewCmd) check(e *env) error {
	if r.Range != "" && (r.Staged || r.Base != "") {
		return usageError("--range names both ends: it goes with neither --staged nor --base")
	}
	return r.modelFlags.check(e)
}

func (r *reviewCmd) review(ctx context.Context, e *env) (int, error) {
	models, err := r.models(e)
	if err != nil {
		return 0, err
	}
	tickets, err := r.tickets(ctx)
	if err != nil {
		return 0, err
	}
	programs, names, err := r.programs(e)
	if err != nil {
		return 0, err
	}
	analyses, err := r.analyses(ctx)
	if err != nil {
		return 0, err
	}
	o := local.Options{Analysers: programs, RunAnalysers: names, Analyses: analyses, AnalysisFiles: r.Sarif, Environ: e.vars,
		TrustOwner: r.TrustOwner, Tickets: tickets, Base: r.Base, Range: r.Range, Staged: r.Staged, Paths: r.Paths, Models: models,
		Output: r.Output, Version: version}
	if !r.Quiet && terminal(e.stderr) {
		o.Progress = e.stderr
	}
	got, err := local.Run(ctx, o)
	if err != nil {
		return 0, err
	}
	got.FailOn = r.severity()
	return got.ExitCode(got.FailOn), r.write(e, got)
}

// write writes the report to standard output or to the file of --output.
func (r *reviewCmd) write(e *env, got report.Report) error {
	format := report.Options{Format: r.Format, All: r.All}
	if r.Format == "text" {
		format.Format = "terminal"
		format.Color = r.Output == "" && !r.NoColor && os.Getenv("NO_COLOR") == "" && terminal(e.stdout)
		format.Width = width(e.stdout)
	}
	var b bytes.Buffer
	err := report.Write(&b, got, format)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if r.Output == "" {
		_, err = logsafe.Raw(e.stdout).Write(b.Bytes()) // the report already escapes what needs it
	} else {
		err = os.WriteFile(r.Output, b.Bytes(), 0o644) //nolint:gosec // a report is for everybody
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// tickets reads the file of --ticket; nil without the flag.
func (r *reviewCmd) tickets(ctx context.Context) ([]domain.Ticket, error) {
	if r.Ticket == "" {
		return nil, nil
	}
	raw, err := readFile(ctx, r.Ticket, tracker.MaxText)
	if err != nil {
		return nil, fmt.Errorf("--ticket: %w", err)
	}
	key := clip.Runes(printable(filepath.Base(r.Ticket)), tracker.MaxKey, "")
	t := domain.Ticket{Key: key, Description: string(raw), Criteria: tracker.Criteria(tracker.Issue{Key: key, Description: string(raw)}, "")}
	if len(t.Criteria) == 0 { // the file may hold only criteria
		t.Criteria = tracker.Criteria(tracker.Issue{Key: key, Criteria: string(raw), CriteriaKnown: true}, "")
	}
	if len(t.Criteria) == 0 {
		return nil, fmt.Errorf("--ticket: there are no acceptance criteria in %s: write them as a list below the heading "+
			"\"Acceptance criteria\"", printable(r.Ticket))
	}
	return []domain.Ticket{t}, nil
}

// severity returns the severity of --fail-on, nil if findings never fail.
func (r *reviewCmd) severity() *domain.Severity {
	s, ok := domain.ParseSeverity(r.FailOn)
	if !ok {
		return nil
	}
	return &s
}

// models opens the model that the flags name, nil if they name no model.
func (r *reviewCmd) models(e *env) (*ask.Models, error) {
	if r.Quiet {
		return r.open(e, nil)
	}
	return r.open(e, e.waiting(r.ModelWait))
}
