package gitlab

import (
	"context"
	"slices"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.Assigner = (*Host)(nil)

// reviewers lists the reviewers of a merge request with their states.
func (h *Host) reviewers(ctx context.Context, op string, repo codehost.Repo, number int) ([]*sdk.MergeRequestReviewer, error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	var list []*sdk.MergeRequestReviewer
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		list, _, err = c.MergeRequests.GetMergeRequestReviewers(repo.FullName(), int64(number), with)
		return err
	})
	return slices.DeleteFunc(list, func(r *sdk.MergeRequestReviewer) bool { return r == nil || r.User == nil || r.User.ID <= 0 }), err
}

// isRequested reports whether a reviewer has not reviewed yet (docs.gitlab.com/api/merge_requests, "List merge
// request reviewers": unreviewed, review_started, reviewed, requested_changes, approved, unapproved).
func isRequested(r *sdk.MergeRequestReviewer) bool {
	return r.State == "unreviewed" || r.State == "review_started" || r.State == "unapproved"
}

// Requested implements [codehost.Assigner].
func (h *Host) Requested(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Person, error) {
	list, err := h.reviewers(ctx, "list reviewers", repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Person
	for _, r := range list {
		if isRequested(r) {
			out = append(out, codehost.Person{ID: wire.HostID(r.User.ID), Login: r.User.Username, Name: r.User.Name})
		}
	}
	return out, nil
}

// RequestReviews implements [codehost.Assigner]. GitLab takes the whole list of reviewers, so a reviewer
// added at the same moment may be lost. It silently omits people without read access
// (app/services/issuable_base_service.rb of gitlab-org/gitlab), and those above the limit of its plan, so
// the answer is checked.
func (h *Host) RequestReviews(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "request reviews"
	if err := codehost.CheckReviewers(op, logins, validLogin); err != nil {
		return err
	}
	m, err := h.anyPull(ctx, op, repo, number)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(logins, func(l string) bool { return m.Author != nil && strings.EqualFold(l, m.Author.Username) }) {
		return codehost.Refused(op, "the author of a merge request cannot be asked to review it")
	}
	var ids, wanted []int64
	for _, u := range m.Reviewers {
		if u != nil {
			ids = append(ids, u.ID)
		}
	}
	for _, login := range logins {
		id, err := h.idOf(ctx, op, login)
		if codehost.ClassOf(err) == codehost.ClassNotFound {
			return codehost.Refused(op, "the host has no user with the login %q", login)
		}
		if err != nil {
			return err
		}
		wanted = append(wanted, id)
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var now *sdk.MergeRequest
	err = h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		now, _, err = c.MergeRequests.UpdateMergeRequest(repo.FullName(), int64(number), &sdk.UpdateMergeRequestOptions{ReviewerIDs: &ids}, with)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range wanted {
		if !slices.ContainsFunc(now.Reviewers, func(u *sdk.BasicUser) bool { return u != nil && u.ID == id }) {
			return codehost.Refused(op, "the host did not take all of them: a reviewer must be able to read the project, and some plans "+
				"allow only one reviewer")
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
	kept, found := []int64{}, false
	for _, r := range list {
		if isRequested(r) && slices.ContainsFunc(logins, func(l string) bool { return strings.EqualFold(l, r.User.Username) }) {
			found = true
			continue
		}
		kept = append(kept, r.User.ID)
	}
	if !found {
		return nil
	}
	return h.update(ctx, op, repo, number, &sdk.UpdateMergeRequestOptions{ReviewerIDs: &kept})
}

// idOf returns the number of the account with a login. It fails with [codehost.ClassNotFound] if the
// account does not exist or is hidden.
func (h *Host) idOf(ctx context.Context, op, login string) (int64, error) {
	u, err := h.userOf(ctx, op, login)
	if err != nil {
		return 0, err
	}
	return u.ID, nil
}

// userOf is [Host.idOf] with the other fields of the account.
func (h *Host) userOf(ctx context.Context, op, login string) (*sdk.User, error) {
	var list []*sdk.User
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		list, _, err = c.Users.ListUsers(&sdk.ListUsersOptions{Username: &login}, with)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, u := range list {
		if u != nil && u.ID > 0 && strings.EqualFold(u.Username, login) {
			return u, nil
		}
	}
	return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the host has no user with this login"}
}
