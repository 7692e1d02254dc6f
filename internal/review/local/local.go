// Package local reviews a change of a local checkout: the working tree, the index or a range of commits
// against a base. It needs no service, no database and, for the deterministic checks, no key.
//
// It reads with git and writes nothing to the repository. It does not run programs that the checkout's or
// the user's configuration names, but it follows their settings for line ends, encodings, modes and ignored
// files. The command line, formats of reports and models' endpoints do not live here.
package local

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/repofile"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/review/sast"
)

// Options select the change and the way of its review.
type Options struct {
	Dir string // inside a working tree; "" is the current folder
	// Environ is the environment of the person (os.Environ): git's variables for a hook, the location of
	// the person's git configuration, and a pipeline's variables about its pull request. nil leaves all of
	// it out.
	Environ []string
	// TrustOwner permits the review of a checkout that belongs to another user.
	TrustOwner bool
	// Base is the base of the comparison: a branch, tag or commit, or the empty tree by its name. "" means
	// the target of the pull request in a pipeline, else the remote's default branch, else main or master,
	// else the last commit.
	Base string
	// Range reviews commits instead of the working tree: "A..B" and "A...B" both mean the changes of B
	// since it left A.
	Range  string
	Staged bool // the index against the last commit (or Base)
	// Pushed reviews the changes that a commit brings to a repository that has the commits of Known and
	// everything that the remotes of the checkout are known to have.
	Pushed string
	Known  []string
	// Paths limits the review to these files and folders, relative to Dir, or to the top of the working
	// tree if FromTop is set.
	Paths   []string
	FromTop bool

	// Output is the file for the report, or "". Its content in the working tree is not part of the change.
	Output string
	// AnalysisFiles are the files that Analyses were read from. Their content in the working tree is not part of the change either;
	// a notice names those that the change would have had.
	AnalysisFiles []string

	// Tickets are the issues that the change implements.
	Tickets []domain.Ticket

	// Analyses are results of static analysers about the reviewed version. Paths in them are absolute, or relative to the top of the
	// working tree.
	Analyses []sast.Input

	// PullRequest is the author's description of the change, if there is one.
	PullRequest engine.PullRequest

	Policy domain.Policy // the zero value means that of [Held], with the .assay.yaml of the base
	Rules  []engine.Rule
	Models *ask.Models // nil: deterministic checks only
	// ModelNote says why there is no model; "" means not configured.
	ModelNote string
	Checks    *check.Checker // nil: built
	// Analysers run those analysers that the policy names; nil: none are set up.
	Analysers engine.Analysers
	// RunAnalysers are names of analysers that run whatever the policy names. The review is incomplete if one does not end well.
	RunAnalysers []string
	Logger       *slog.Logger // nil: silent

	// Progress receives a line that is redrawn, so it must be a terminal; nil: no progress.
	Progress io.Writer
	// Step receives the progress of the review, from several goroutines at once; it may be nil.
	Step func(ask.Progress)
	// Out receives the report in the format Report.Format; nil means that the caller writes it.
	Out     io.Writer
	Report  report.Options
	Version string // of the program, for reports
}

// Run reviews a change and writes the report if Out is set. Errors tell the user what to do. A failing
// model is not an error: the report has the findings of the deterministic checks, and says that it is
// incomplete and why.
func Run(ctx context.Context, o Options) (report.Report, error) {
	began := time.Now()
	if o.Staged && o.Range != "" {
		return report.Report{}, errors.New("choose either staged changes or a range, not both")
	}
	l, err := o.open(ctx)
	if err != nil {
		return report.Report{}, err
	}
	defer func() { _ = l.Close() }() // leftovers of a temporary folder do not matter
	ch, err := chooseComparison(ctx, l, o)
	if err != nil {
		return report.Report{}, err
	}
	checks := o.Checks
	if checks == nil {
		scanner, err := check.NewScanner()
		if err != nil {
			return report.Report{}, err
		}
		checks = &check.Checker{Scanner: scanner}
	}
	var ofFile, off []string
	if o.Policy.Profile == "" {
		file, err := repofile.Read(ctx, l.At(ch.baseID), ch.baseID)
		if err != nil {
			return report.Report{}, err
		}
		held, err := Held(file, policy.FileFull)
		if err != nil {
			return report.Report{}, err
		}
		o.Policy = held.Policy
		for _, r := range held.Active() {
			o.Rules = append(o.Rules, repofile.Rule(r))
		}
		for _, n := range held.Notes {
			ofFile = append(ofFile, n.String())
		}
		off = policy.ChecksOff(held.Settings)
		for _, line := range off {
			ofFile = append(ofFile, "Deterministic checks did not run: "+line+".")
		}
	}
	o.requestAnalysers()
	if o.Models == nil && o.ModelNote == "" {
		o.ModelNote = engine.NoteNotConfigured
	}
	p := newProgress(o.Progress)
	in := engine.Input{
		Repository: "local", PullRequest: o.PullRequest, BaseSHA: ch.MergeBase, MergeBase: ch.MergeBase, HeadSHA: ch.head, Diff: ch.Raw,
		Source: ch,
		Policy: o.Policy, Rules: o.Rules, Guidelines: ch.guidelines(l, o.Policy), Models: o.Models, ModelNote: o.ModelNote, Full: true,
		AnyPath: true, WithoutVerifier: true,
		Analyses: o.Analyses, Tickets: o.Tickets, DigestKeys: [][]byte{digestKey()}, ChecksOff: off,
	}
	show := func(at ask.Progress) {
		p.show(at)
		if o.Step != nil {
			o.Step(at)
		}
	}
	e := engine.New(engine.Deps{Checks: checks, Analysers: o.Analysers, Logger: o.Logger, Progress: show})
	res, err := e.Review(ctx, in)
	if failed, ok := errors.AsType[*llm.Error](err); ok && ctx.Err() == nil {
		in.Models, in.ModelNote = nil, "the model failed: "+failed.Words()
		res, err = e.Review(ctx, in)
	}
	p.clear()
	if err != nil {
		return report.Report{}, err
	}
	if res.VerifierFailure != nil {
		res.Notices = append(res.Notices, "Findings were not verified, because the model failed: "+res.VerifierFailure.Words())
	}
	for i := range res.Findings {
		res.Findings[i].SecretDigests = nil // nothing outside of this process can compare them
	}
	if found, err := checks.Scanner.ScanText(ctx, res.Synopsis.Text); err != nil || len(found) > 0 {
		res.Synopsis = engine.Synopsis{} // a model may have joined a secret from parts
	}
	res.Explain()
	gap, left := ch.leftOut()
	ch.gap = strings.TrimSpace(ch.gap + " " + gap)
	ch.gap = strings.TrimSpace(ch.gap + " " + o.missingAnalysers(res.Analyses))
	for _, n := range slices.Concat(ofFile, analysed(res.Analyses, res.AnalysesLeft), []string{left, ch.untouched()}, ch.notes) {
		if n != "" {
			res.Notices = append(res.Notices, n)
		}
	}
	out := report.Report{Version: o.Version, Base: ch.base, Head: ch.name, BaseSHA: ch.MergeBase, HeadSHA: ch.head, Gap: ch.gap, Result: res,
		Duration: time.Since(began)}
	out.Left, out.MoreLeft = ch.unread(&res)
	frames(ctx, &out, ch)
	if o.Out != nil {
		if err := report.Write(o.Out, out, o.Report); err != nil {
			return out, fmt.Errorf("write the report: %w", err)
		}
	}
	return out, nil
}

// frames reads the lines that code frames show.
func frames(ctx context.Context, r *report.Report, ch comparison) {
	r.Frames, r.OldFrames = map[string][]string{}, map[string][]string{}
	for _, f := range r.Result.Findings {
		into, side, path := r.Frames, domain.Right, f.Anchor.Path
		if f.Anchor.Side == domain.Left {
			into, side = r.OldFrames, domain.Left
			if file := r.Result.Diff.File(path); file != nil {
				path = file.BasePath()
			}
		}
		if _, done := into[f.Anchor.Path]; done || path == "" || f.Anchor.StartLine == 0 {
			continue
		}
		if b, err := ch.Blob(ctx, side, path); err == nil {
			into[f.Anchor.Path] = strings.Split(strings.TrimSuffix(r.Result.Redact(string(b)), "\n"), "\n")
		}
	}
}

// digestKey makes the key of this process for digests of secrets. A local review compares its findings with no earlier ones,
// so that no other process needs the key.
var digestKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
})
