// Package fix makes changes that mend findings, and proves them without running any code of the pull request.
//
// A strong model proposes search and replacement texts against the head. They are applied in memory. A fix passes only
// if every check of [CheckName] passes; otherwise its finding is refused with a [Reason]. The texts of findings and the
// code are data. The package knows no host and no database: it writes nothing.
package fix

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
)

// Checks run the deterministic checks: [check.Checker] in this process, or [check.Confined] in a child process.
type Checks interface {
	Run(ctx context.Context, set *diff.Set, src check.Source, opt check.Options) (check.Result, error)
}

// Deps are what a [Fixer] works with. Checks is required; the others have quiet defaults, which are those of [ask.Deps].
type Deps struct {
	Checks   Checks
	Recorder ask.Recorder // of the stages fix, fix-verify and fix-look
	Stages   ask.StageStore
	Progress func(ask.Progress) // called one at a time
	Logger   *slog.Logger
	Now      func() time.Time // durations of calls only
	Random   io.Reader        // source of delimiters; crypto/rand if nil
}

// Input is everything that a run depends on.
type Input struct {
	Diff     []byte           // unified diff, merge base to head, with renames
	Source   change.Source    // both versions; offers [snapshot.Lister] and [snapshot.Searcher] as far as it can
	Policy   domain.Policy    // its paths and its language count
	Rules    []check.Rule     // rules of people with a pattern; their findings are gone when the pattern does not match any more
	Findings []domain.Finding // what is to be mended, in order of priority; at most [MaxFindings] are tried
	Models   *ask.Models      // the strong tier is asked; nil refuses every finding with [NoModel]
}

// Fixer makes fixes. It is safe for concurrent use.
type Fixer struct{ deps Deps }

// New makes a fixer.
func New(d Deps) *Fixer {
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	return &Fixer{deps: d}
}

// With returns a fixer that differs in what belongs to one run.
func (f *Fixer) With(r ask.Recorder, s ask.StageStore, progress func(ask.Progress)) *Fixer {
	d := f.deps
	d.Recorder, d.Stages, d.Progress = r, s, progress
	return New(d)
}

// Run tries to mend each finding by itself and joins the fixes that pass, in the order of the findings.
//
// A finding that cannot be mended is refused in the result, never an error. Errors: the context's; an [*llm.Error], wrapped, if
// a model is down or refuses every call, so that the caller can wait and call again (finished calls are in the
// [ask.StageStore]); those of a source or of the checks; and a diff that cannot be read. Beside an error the result holds only the
// usage.
func (f *Fixer) Run(ctx context.Context, in Input) (Result, error) {
	r, err := f.begin(ctx, in)
	if err != nil {
		return Result{}, err
	}
	defer r.before.Close()
	tried, err := r.tryAll(ctx)
	if err == nil {
		err = r.join(ctx, tried)
	}
	out := Result{Usage: r.tally.total()}
	if err != nil {
		return out, err
	}
	var all []patch
	for _, a := range tried {
		out.Findings = append(out.Findings, a.Outcome)
		if a.Passed {
			all = append(all, a.patches...)
		}
		if a.Reason == BudgetUsedUp {
			out.Incomplete = BudgetUsedUp
		}
	}
	out.Files = filesOf(r.version(all).pairs)
	return out, nil
}

// filesOf returns the files of a version.
func filesOf(pairs []pair) []File {
	out := []File{}
	for _, p := range pairs {
		out = append(out, File{Path: p.after.path, Before: digest(p.before.raw), After: digest(p.after.raw), Content: p.after.raw})
	}
	return out
}

// errMoved means that a stored result does not fit the head.
var errMoved = errors.New("fix: the files of the head are not those that the run saw")

// Contents applies the edits of a stored result to the head again, for a delivery after a restart. It returns the files of the
// result with their contents. Errors: a file of the head is not the one that the run saw, and those of the source.
func Contents(ctx context.Context, src change.Source, r Result) ([]File, error) {
	var edits []Edit
	for _, o := range r.Findings {
		if o.Passed {
			edits = append(edits, o.Edits...)
		}
	}
	docs, patches, err := contents(ctx, src, edits)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(r.Files)
	for i := range out {
		d := docs[out[i].Path]
		if d == nil || digest(d.raw) != out[i].Before {
			return nil, errMoved
		}
		if out[i].Content = d.applied(patches[d.path]); digest(out[i].Content) != out[i].After {
			return nil, errMoved
		}
	}
	if len(docs) != len(out) {
		return nil, errMoved
	}
	return out, nil
}
