package bitbucketcloud

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// maxReviewers is the most reviewers of a pull request that are read (design choice).
const maxReviewers = 200

var _ codehost.Assigner = (*Host)(nil)

// Requested implements [codehost.Assigner] with the reviewers who have neither approved nor requested changes.
func (h *Host) Requested(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Person, err error) {
	p, err := h.pull(ctx, "list requested reviewers", repo, number)
	if err != nil {
		return nil, err
	}
	return p.requested(), nil
}

func (p *pull) requested() (out []codehost.Person) {
	done := map[domain.HostID]bool{}
	for _, q := range p.Participants {
		done[q.User.id()] = q.State != ""
	}
	for i := range p.Reviewers[:min(len(p.Reviewers), maxReviewers)] {
		if u := &p.Reviewers[i]; u.id() != "" && !done[u.id()] {
			out = append(out, codehost.Person{ID: u.id(), Login: u.login(), Name: u.Display})
		}
	}
	return out
}

// RequestReviews implements [codehost.Assigner]. The host takes the whole list of reviewers, so a reviewer added at the same moment may
// be lost. It knows no people by name, so RequestReviews looks for the nicknames among the people of the repository.
func (h *Host) RequestReviews(ctx context.Context, repo codehost.Repo, number int, logins []string) error {
	const op = "request reviews"
	if err := codehost.CheckReviewers(op, logins, validLogin); err != nil {
		return err
	}
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return err
	}
	people, err := h.people.candidates(ctx, op, repo)
	if err != nil {
		return err
	}
	add := map[domain.HostID]bool{}
	for _, login := range logins {
		id, err := personNamed(op, people, login)
		switch {
		case err != nil:
			return err
		case id == p.Author.id():
			return codehost.Refused(op, "the author of a pull request cannot be asked to review it")
		}
		add[id] = true
	}
	for i := range p.Reviewers {
		delete(add, p.Reviewers[i].id())
	}
	if len(add) == 0 {
		return nil
	}
	want := reviewerRefs(p, nil)
	for id := range add {
		want = append(want, refOf(id))
	}
	return h.setReviewers(ctx, op, repo, p, want)
}

// candidates lists the people with a right on a repository. If our account must not see them, it lists the members of the workspace, and
// the host refuses those who cannot read the repository.
func (h *Host) candidates(ctx context.Context, op string, repo codehost.Repo) ([]right, error) {
	list, err := h.rights(ctx, op, repo)
	if codehost.ClassOf(err) != codehost.ClassForbidden {
		return list, err
	}
	return all(ctx, h, op, "/workspaces/"+url.PathEscape(repo.Owner)+"/members?pagelen=100", "members of the workspace", codehost.MaxMembers,
		func(r right) (right, bool) { return r, r.User.id() != "" && !r.User.isApp() })
}

// personNamed returns the one person among people who has a login.
func personNamed(op string, people []right, login string) (domain.HostID, error) {
	var id domain.HostID
	for _, r := range people {
		if strings.EqualFold(r.User.login(), login) || string(r.User.id()) == login {
			if id != "" && id != r.User.id() {
				return "", codehost.Refused(op, "several people of the repository have the name %q", login)
			}
			id = r.User.id()
		}
	}
	if id == "" {
		return "", codehost.Refused(op, "the name %q belongs to no person with access to the repository", login)
	}
	return id, nil
}

// reviewerRefs returns the reviewers of a pull request that drop does not name.
func reviewerRefs(p *pull, drop []domain.HostID) []reviewerRef {
	out := []reviewerRef{}
	for i := range p.Reviewers {
		if id := p.Reviewers[i].id(); id != "" && !slices.Contains(drop, id) {
			out = append(out, refOf(id))
		}
	}
	return out
}

// setReviewers replaces the reviewers. It sends the title unchanged, so that the request is valid if the host wants one.
func (h *Host) setReviewers(ctx context.Context, op string, repo codehost.Repo, p *pull, want []reviewerRef) error {
	return h.client.Send(ctx, op, http.MethodPut, pullPath(repo, p.ID), map[string]any{"title": p.Title, "reviewers": want}, nil)
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
	asked := p.requested()
	named := codehost.FilterLogins(asked, logins)
	var drop []domain.HostID
	for _, a := range asked {
		if slices.ContainsFunc(named, func(l string) bool { return strings.EqualFold(l, a.Login) }) {
			drop = append(drop, a.ID)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	return h.setReviewers(ctx, op, repo, p, reviewerRefs(p, drop))
}
