package review

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// mostCommenters bounds the people of whom the host is asked whether they may write.
const mostCommenters = 20

// others are the open comments on lines that may keep a finding from being said: of
// people who may write to the repository, and of apps, which who administers it has
// let in. The author of the pull request never counts. Comments that cannot be read
// keep nothing from being said, and do not keep the run from going on.
func (w *work) others(ctx context.Context, host codehost.Host, repo codehost.Repo, author string) (out []engine.Comment) {
	threads, err := host.Threads(ctx, repo, w.run.Number)
	if err != nil {
		w.log.WarnContext(ctx, "comments of others on the pull request could not be read; findings may repeat them", "error", err)
		return nil
	}
	if len(threads) == 0 {
		return nil
	}
	row, err := w.Store.Repository(ctx, w.run.Owner(), w.run.Repository)
	if err != nil {
		w.log.WarnContext(ctx, "the write permission of commenters is unknown", "error", err)
		return nil
	}
	may := map[string]bool{}
	for _, t := range threads {
		if t.Mine || t.Author == "" || strings.EqualFold(t.Author, strings.TrimSuffix(author, "[bot]")) {
			continue
		}
		if _, known := may[t.Author]; !t.Bot && !known && len(may) < mostCommenters {
			may[t.Author] = w.mayWrite(ctx, host, repo, row, t.Author)
		}
		if t.Bot || may[t.Author] {
			out = append(out, engine.Comment{Path: t.Path, Side: domain.Side(t.Side), StartLine: t.StartLine, EndLine: t.Line, Body: t.Body, Bot: t.Bot})
		}
	}
	return out
}

// mayWrite reports whether a person may write to the repository; of whom that is not
// known, no.
func (w *work) mayWrite(ctx context.Context, host codehost.Host, repo codehost.Repo, row store.Repository, login string) bool {
	may, err := w.Authors.MayWrite(ctx, host, repo, row, login, "")
	if err != nil {
		w.log.WarnContext(ctx, "the write permission of a commenter is unknown", "error", err)
		return false
	}
	return may
}
