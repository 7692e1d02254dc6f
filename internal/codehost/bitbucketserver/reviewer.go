package bitbucketserver

import (
	"context"
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.Assigner = (*Host)(nil)

// Requested implements [codehost.Assigner] with the reviewers who have not decided.
func (h *Host) Requested(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Person, err error) {
	p, err := h.pull(ctx, "list reviewers", repo, number)
	if err != nil {
		return nil, err
	}
	for _, r := range p.Reviewers {
		if r.User.ID > 0 && (r.Status == "" || r.Status == "UNAPPROVED") {
			out = append(out, codehost.Person{ID: wire.HostID(r.User.ID), Login: r.User.Name, Name: r.User.Shown})
		}
	}
	return out, nil
}

// RequestReviews implements [codehost.Assigner]. It makes one person after the other a reviewer (the description,
// POST Q/participants), so that reviewers added at the same moment stay.
func (h *Host) RequestReviews(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "request reviews"
	if err := codehost.CheckReviewers(op, logins, validLogin); err != nil {
		return err
	}
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return err
	}
	for _, login := range logins {
		if sameLogin(login, p.Author.User.Name) {
			return codehost.Refused(op, "the author of a pull request cannot be asked to review it")
		}
	}
	for _, login := range logins {
		in := struct {
			User struct {
				Name string `json:"name"`
			} `json:"user"`
			Role string `json:"role"`
		}{Role: "REVIEWER"}
		in.User.Name = login
		err := h.client.Send(ctx, op, http.MethodPost, pullPath(repo, number)+"/participants", in, nil)
		if class := codehost.ClassOf(err); class == codehost.ClassNotFound || class == codehost.ClassStale {
			return codehost.Refused(op, "the host does not take %q as a reviewer: there is no such person, or the repository is closed "+
				"to them", login)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CancelRequests implements [codehost.Assigner].
func (h *Host) CancelRequests(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "cancel review requests"
	if err := codehost.CheckReviewers(op, logins, validLogin); err != nil {
		return err
	}
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return err
	}
	for _, r := range p.Reviewers {
		for _, login := range logins {
			if !sameLogin(login, r.User.Name) || r.Status != "" && r.Status != "UNAPPROVED" {
				continue
			}
			err := h.client.Send(ctx, op, http.MethodDelete, pullPath(repo, number)+"/participants/"+url.PathEscape(slugOf(r.User.Name)), nil, nil)
			if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
				return err
			}
		}
	}
	return nil
}
