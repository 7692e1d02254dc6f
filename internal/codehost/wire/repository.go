package wire

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// CheckSameRepository fails with [codehost.ClassMoved] if an answer is about another repository than the requested
// one: ours was renamed, and another one took its name. id is the number of the repository in the answer.
// It compares nothing if id is not positive or repo has no ExternalID.
func CheckSameRepository(ctx context.Context, op, kind string, repo codehost.Repo, id int64, watch codehost.Observer) error {
	if id <= 0 || repo.ExternalID == "" || repo.ExternalID == domain.NumberID(id) {
		return nil
	}
	return Moved(ctx, op, kind, "another repository has this name now", watch)
}

// Moved returns the error for an answer that shows, without a redirect, that a repository has moved. It
// reports the answer to watch as if it were a redirect. watch may be nil.
func Moved(ctx context.Context, op, kind, message string, watch codehost.Observer) error {
	if watch != nil {
		watch.ObserveExchange(ctx, codehost.Exchange{Host: kind, Op: op, Status: http.StatusOK, Class: codehost.ClassMoved})
	}
	return &codehost.Error{Class: codehost.ClassMoved, Op: op, Status: http.StatusOK, Message: message}
}
