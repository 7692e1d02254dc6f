package gitea

import (
	"context"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.Assigner = (*Host)(nil)

// Requested implements [codehost.Assigner].
func (h *Host) Requested(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Person, error) {
	p, err := h.pull(ctx, "list requested reviewers", repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Person
	for _, u := range p.RequestedReviewers {
		if u != nil {
			out = append(out, codehost.Person{ID: wire.HostID(u.ID), Login: u.UserName, Name: u.FullName})
		}
	}
	return out, nil
}

// RequestReviews implements [codehost.Assigner]. The host requests reviews one after the other and stops at
// a person who cannot review (routers/api/v1/repo/pull_review.go, apiReviewRequest). So RequestReviews
// refuses the author, who never can, before it sends a request. The host answers the same for a missing
// account as for a missing pull request.
func (h *Host) RequestReviews(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "request reviews"
	if err := codehost.CheckReviewers(op, logins, wire.ValidName); err != nil {
		return err
	}
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(logins, func(l string) bool { return strings.EqualFold(l, login(p.Poster)) }) {
		return codehost.Refused(op, "the author of a pull request cannot be asked to review it")
	}
	err = h.write(ctx, op, func(c *sdk.Client) error {
		_, err := c.CreateReviewRequests(repo.Owner, repo.Name, int64(number), sdk.PullReviewRequestOptions{Reviewers: logins})
		return err
	})
	if e, ok := err.(*codehost.Error); ok && e.Class == codehost.ClassNotFound {
		unknown := *e
		unknown.Class = codehost.ClassInvalid
		return &unknown
	}
	return err
}

// CancelRequests implements [codehost.Assigner].
func (h *Host) CancelRequests(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "cancel review requests"
	if err := codehost.CheckReviewers(op, logins, wire.ValidName); err != nil {
		return err
	}
	asked, err := h.Requested(ctx, repo, number)
	if err != nil {
		return err
	}
	named := codehost.FilterLogins(asked, logins)
	if len(named) == 0 {
		return nil
	}
	return h.write(ctx, op, func(c *sdk.Client) error {
		_, err := c.DeleteReviewRequests(repo.Owner, repo.Name, int64(number), sdk.PullReviewRequestOptions{Reviewers: named})
		return err
	})
}
