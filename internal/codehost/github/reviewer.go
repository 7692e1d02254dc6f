package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.Assigner = (*Host)(nil)

// Requested implements [codehost.Assigner].
func (h *Host) Requested(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Person, error) {
	const op = "list requested reviewers"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	var list *gh.Reviewers
	err := h.run(ctx, h.installationCall(op, repo.Access, scopePublish), func(ctx context.Context) (err error) {
		list, _, err = h.client.PullRequests.ListReviewers(ctx, repo.Owner, repo.Name, number)
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []codehost.Person
	for _, u := range list.Users {
		out = append(out, codehost.Person{ID: hostID(u.GetID()), Login: u.GetLogin(), Name: u.GetName()})
	}
	return out, nil
}

// RequestReviews implements [codehost.Assigner]. GitHub requests all reviews or none.
func (h *Host) RequestReviews(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "request reviews"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return err
	}
	if err := codehost.CheckReviewers(op, logins, loginForm.MatchString); err != nil {
		return err
	}
	return h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		_, _, err := h.client.PullRequests.RequestReviewers(ctx, repo.Owner, repo.Name, number, gh.ReviewersRequest{Reviewers: logins})
		return err
	})
}

// CancelRequests implements [codehost.Assigner]. It sends only people with a request, because GitHub does
// not document the answer for others.
func (h *Host) CancelRequests(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "cancel review requests"
	if err := codehost.CheckReviewers(op, logins, loginForm.MatchString); err != nil {
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
	return h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		_, err := h.client.PullRequests.RemoveReviewers(ctx, repo.Owner, repo.Name, number, gh.ReviewersRequest{Reviewers: named})
		return err
	})
}
