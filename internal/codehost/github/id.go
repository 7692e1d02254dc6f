package github

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// hostID is an id as the port has it: GitHub counts from 1, so what is not
// positive names nothing.
func hostID(n int64) domain.HostID { return domain.NumberID(max(n, 0)) }

// number is an id as GitHub's interface has it. what names it in the error, of
// class invalid, that text which no id of GitHub can be is refused with.
func number(op, what string, id domain.HostID) (int64, error) {
	n, ok := id.Number()
	if !ok || n <= 0 {
		return 0, codehost.Refused(op, "the id of the %s must be a positive number", what)
	}
	return n, nil
}

// checkReview is [wire.CheckPull] for what is asked about one of its reviews.
func checkReview(op string, r codehost.Repo, pull int, review domain.HostID) (int64, error) {
	if err := wire.CheckPull(op, r, pull); err != nil {
		return 0, err
	}
	return number(op, "review", review)
}
