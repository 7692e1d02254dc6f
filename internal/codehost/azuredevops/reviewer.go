package azuredevops

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
)

// reviewers lists the reviewers of a pull request, without groups.
func (h *Host) reviewers(ctx context.Context, op string, repo codehost.Repo, number int) ([]reviewerRef, error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	var got answerList[reviewerRef]
	err := h.read(ctx, op, request{path: pullPath(repo, number) + "/reviewers"}, &got)
	return slices.DeleteFunc(got.Value, func(r reviewerRef) bool { return r.IsContainer || guid(r.ID) == "" }), err
}

// Requested implements [codehost.Assigner] with the reviewers who have neither voted nor declined. Votes are people's own: assay gives
// none and takes none for its approval.
func (h *Host) Requested(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Person, err error) {
	list, err := h.reviewers(ctx, "list reviewers", repo, number)
	for _, r := range list {
		if r.Vote == 0 && !r.HasDeclined {
			out = append(out, codehost.Person{ID: guid(r.ID), Login: r.UniqueName, Name: r.DisplayName})
		}
	}
	return out, err
}

// RequestReviews implements [codehost.Assigner], one request for each person.
func (h *Host) RequestReviews(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "request reviews"
	if err := codehost.CheckReviewers(op, logins, validLogin); err != nil {
		return err
	}
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(logins, func(l string) bool { return strings.EqualFold(l, p.CreatedBy.UniqueName) }) {
		return codehost.Refused(op, "the author of a pull request cannot be asked to review it")
	}
	for _, login := range logins {
		i, err := h.identityNamed(ctx, op, repo.Owner, login)
		if codehost.ClassOf(err) == codehost.ClassNotFound {
			return codehost.Refused(op, "the host has no user with the login %q", login)
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(p.Reviewers, func(r reviewerRef) bool { return strings.EqualFold(r.ID, i.ID) }) {
			continue
		}
		err = h.write(ctx, op, request{method: http.MethodPut, path: pullPath(repo, number) + "/reviewers/" + i.ID,
			body: map[string]any{"id": i.ID, "vote": 0}}, nil)
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
	list, err := h.reviewers(ctx, op, repo, number)
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.Vote != 0 || r.HasDeclined || !slices.ContainsFunc(logins, func(l string) bool { return strings.EqualFold(l, r.UniqueName) }) {
			continue
		}
		err := h.write(ctx, op, request{method: http.MethodDelete, path: pullPath(repo, number) + "/reviewers/" + r.ID}, nil)
		if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
			return err
		}
	}
	return nil
}
