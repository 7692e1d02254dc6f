package review

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// maxCommenters bounds the people about whose write permission the host is asked.
const maxCommenters = 20

// otherComments returns the open comments on lines that can make a finding redundant: those of people who may write to the
// repository, and of apps, which an administrator has installed. It ignores the author of the pull request. If the
// comments cannot be read, it returns nil and the run continues.
func (w *work) otherComments(ctx context.Context, host codehost.Host, repo codehost.Repo, author string) (out []engine.Comment) {
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
		if _, known := may[t.Author]; !t.Bot && !known && len(may) < maxCommenters {
			may[t.Author] = w.mayWrite(ctx, host, repo, row, t.Author)
		}
		if t.Bot || may[t.Author] {
			out = append(out, engine.Comment{Path: t.Path, Side: domain.Side(t.Side), StartLine: t.StartLine, EndLine: t.Line, Body: t.Body,
				Bot: t.Bot})
		}
	}
	return out
}

// mayWrite reports whether a person may write to the repository. It returns false if the host does not
// answer.
func (w *work) mayWrite(ctx context.Context, host codehost.Host, repo codehost.Repo, row store.Repository, login string) bool {
	may, err := w.Authors.MayWrite(ctx, host, repo, row, login, "")
	if err != nil {
		w.log.WarnContext(ctx, "the write permission of a commenter is unknown", "error", err)
		return false
	}
	return may
}
