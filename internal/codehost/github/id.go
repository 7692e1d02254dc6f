package github

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// hostID returns GitHub's number as an id, or "" for a number that is not positive, because GitHub's ids
// start at 1.
func hostID(n int64) domain.HostID { return domain.NumberID(max(n, 0)) }

// number returns an id as GitHub's number. Other ids get an error of class invalid, in which what names the
// thing.
func number(op, what string, id domain.HostID) (int64, error) {
	n, ok := id.Number()
	if !ok || n <= 0 {
		return 0, codehost.Refused(op, "the id of the %s must be a positive number", what)
	}
	return n, nil
}

// checkReview is [wire.CheckPull] with the id of a review.
func checkReview(op string, r codehost.Repo, pull int, review domain.HostID) (int64, error) {
	if err := wire.CheckPull(op, r, pull); err != nil {
		return 0, err
	}
	return number(op, "review", review)
}
