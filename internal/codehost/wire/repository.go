package wire

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// OfRepository fails with [codehost.ClassMoved] if an answer is about another repository than the one that was asked for: that one
// was renamed, and the other has its name now. id is the number of
// the repository in the answer; one that is not positive, or a repo without a number, is not compared.
func OfRepository(ctx context.Context, op, kind string, repo codehost.Repo, id int64, watch codehost.Observer) error {
	if id <= 0 || repo.ExternalID == "" || repo.ExternalID == domain.NumberID(id) {
		return nil
	}
	return Moved(ctx, op, kind, "another repository has this name now", watch)
}

// Moved is the error of an answer that shows without a redirect that a repository is elsewhere now. The observer, which may be
// nil, is told as of a redirect.
func Moved(ctx context.Context, op, kind, message string, watch codehost.Observer) error {
	if watch != nil {
		watch.HostAnswered(ctx, codehost.Answered{Host: kind, Op: op, Status: http.StatusOK, Class: codehost.ClassMoved})
	}
	return &codehost.Error{Class: codehost.ClassMoved, Op: op, Status: http.StatusOK, Message: message}
}
