package codehost

import (
	"context"
	"slices"
	"strings"
)

// MaxReviewers is the most people that we request a review from at once (our choice).
const MaxReviewers = 15

// Assigner requests reviews of pull requests from people, for the later assignment of reviewers. It leaves
// teams alone. A host offers it if it has [Capabilities.Reviewers].
type Assigner interface {
	// Requested lists the people whose review is requested now. A person who has reviewed is no longer on
	// it.
	Requested(ctx context.Context, repo Repo, number int) ([]Person, error)
	// RequestReviews requests reviews by login. People already requested stay so, and callers may repeat
	// it. It fails with [ClassInvalid] if a person does not exist, wrote the pull request, or cannot read
	// the repository. A host may then have requested some of the reviews (look with Requested).
	RequestReviews(ctx context.Context, repo Repo, number int, logins []string) error
	// CancelRequests withdraws requests. A person without a request is not an error.
	CancelRequests(ctx context.Context, repo Repo, number int, logins []string) error
}

// CheckReviewers returns [ClassInvalid] or [ClassTooLarge] for a list that is empty, too long, or contains
// a duplicate or a login that does not fit.
func CheckReviewers(op string, logins []string, fits func(login string) bool) error {
	switch {
	case len(logins) == 0:
		return Refused(op, "at least one person must be named")
	case len(logins) > MaxReviewers:
		return tooLarge(op, "at most %d people can be asked at once", MaxReviewers)
	}
	seen := map[string]bool{}
	for _, l := range logins {
		key := strings.ToLower(l)
		switch {
		case !fits(l):
			return Refused(op, "a login must be that of a user")
		case seen[key]:
			return Refused(op, "a person is named twice")
		}
		seen[key] = true
	}
	return nil
}

// FilterLogins returns the logins that belong to one of the people.
func FilterLogins(people []Person, logins []string) []string {
	return slices.DeleteFunc(slices.Clone(logins), func(l string) bool {
		return !slices.ContainsFunc(people, func(p Person) bool { return strings.EqualFold(p.Login, l) })
	})
}
