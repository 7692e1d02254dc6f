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
// [ask.StageStore]); and those of a source or of the checks. Beside an error the result holds only the usage.
func (f *Fixer) Run(ctx context.Context, in Input) (Result, error) {
	return Result{}, errors.New("fix: not built")
}

// Contents applies the edits of a stored result to the head again, for a delivery after a restart. It returns the files of the
// result with their contents, and an error if a file of the head is not the one that the run saw.
func Contents(ctx context.Context, src change.Source, r Result) ([]File, error) {
	return nil, errors.New("fix: not built")
}
