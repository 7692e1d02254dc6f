package codehost

import (
	"context"
	"slices"
	"strings"
)

// MaxReviewers is how many people we ask at once to review a pull request. It is
// ours.
const MaxReviewers = 15

// Assigner asks people to review pull requests: for the assignment of reviewers,
// which comes later. Teams are left alone. A host offers it where it has
// [Capabilities.Reviewers]; see [AssignerOf].
type Assigner interface {
	// Requested lists the people who are asked for a review now. Who has reviewed
	// is asked no longer.
	Requested(ctx context.Context, repo Repo, number int) ([]Person, error)
	// RequestReviews asks people, by login. Who is asked already stays so, and it may
	// be repeated. [ClassInvalid]: one of them is not there, wrote the pull request,
	// or may not read the repository; a host that is asked for several may then have
	// asked some of them (look with Requested).
	RequestReviews(ctx context.Context, repo Repo, number int, logins []string) error
	// CancelRequests asks people no longer; that one was not asked is no error.
	CancelRequests(ctx context.Context, repo Repo, number int, logins []string) error
}

// AssignerOf returns what asks people on a host; ok is false where nothing can.
func AssignerOf(h Host) (a Assigner, ok bool) { return verbs[Assigner](h, h.Capabilities().Reviewers) }

// CheckReviewers refuses an empty list, one that is too long, or one that names
// somebody twice or who does not fit, as [ClassInvalid] or [ClassTooLarge].
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

// Among returns those logins that are of one of the people.
func Among(people []Person, logins []string) []string {
	return slices.DeleteFunc(slices.Clone(logins), func(l string) bool {
		return !slices.ContainsFunc(people, func(p Person) bool { return strings.EqualFold(p.Login, l) })
	})
}
