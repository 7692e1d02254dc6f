package review

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	runs "github.com/assay-dev/assay/internal/run"
)

// limit returns the note of an hourly limit that leaves the run only deterministic checks, "" if the run is
// within the limits. Requests of people with write permission have no limit, nor do their pull requests.
// The host is asked about the author only if the number is reached. Reviews that begin at the same instant
// may each count as the last allowed one.
func (w *work) limit(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (note string, err error) {
	if runs.Asked(w.run) {
		return "", nil
	}
	author, outside, err := w.Store.EarlierReviews(ctx, w.run.Owner(), w.run.ID, time.Hour)
	switch {
	case err != nil:
		return "", err
	case w.run.Depth == domain.DepthReduced && outside >= domain.OutsideReviewsPerHour:
		return engine.NoteOutsideLimit, nil
	case author < domain.AuthorReviewsPerHour:
		return "", nil
	}
	row, err := w.Store.Repository(ctx, w.run.Owner(), w.run.Repository)
	if err != nil {
		return "", err
	}
	may, err := w.Authors.MayWrite(ctx, host, repo, row, pr.Author, pr.AuthorID)
	if err == nil && !may {
		note = engine.NoteAuthorLimit
	}
	return note, err
}

// checksOnly publishes the findings of the deterministic checks, with a note that explains why no model was
// asked.
func (w *work) checksOnly(ctx context.Context, in engine.Input, note string) error {
	in.Models, in.ModelNote = nil, note
	result, err := w.review(ctx, in, nil)
	if err != nil {
		return err
	}
	w.log.InfoContext(ctx, "published with deterministic checks only", "why", note)
	return w.freeze(ctx, in, result, "reviewed with deterministic checks only: "+note)
}
