package gitea

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A repository is not confused with another one that took its name: the other one's pull requests are neither
// read nor reviewed, and its webhooks stay. Our webhook is removed from the repository for which it was made.
func TestANameThatAnotherRepositoryTook(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s, ctx := newSim(t, kind), t.Context()
		h, key := s.host(&codehosttest.Gate{}, neededScopes...), secret.New("hook"+"-key")
		repo := codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
		address := codehost.RepositoryHook(ownerHookAddress, repo.ExternalID)
		must(h.EnsureHook(ctx, repo, address, key))(t)

		s.change("octo/demo", simapi.RepoChange{Name: "demo-old"})
		s.repo = must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo", Name: "demo", Files: map[string]string{"README.md": "# Other\n"},
			Collaborators: map[string]string{"ann": "write", "bot": "admin"}}))(t)
		pull := s.open("topic", "half.go", simFile)
		merged := s.ended("Theirs", true)
		other := repo
		other.ExternalID = domain.NumberID(s.repo.ID)
		must(h.EnsureHook(ctx, other, address, key))(t)

		for what, ask := range map[string]func(codehost.Repo) error{
			"a pull request":       func(at codehost.Repo) error { _, err := h.PullRequest(ctx, at, pull.Number); return err },
			"open pull requests":   func(at codehost.Repo) error { _, err := h.OpenPullRequests(ctx, at); return err },
			"merged pull requests": func(at codehost.Repo) error { _, err := h.MergedPullRequests(ctx, at, merged); return err },
			"a review": func(at codehost.Repo) error {
				_, err := h.CreateReview(ctx, at, pull.Number, codehost.Draft{Commit: pull.HeadSHA, Body: markdown.Const("Body")})
				return err
			},
		} {
			if err := ask(repo); codehost.ClassOf(err) != codehost.ClassMoved {
				t.Errorf("%s: %s by the former name: %v", kind, what, err)
			}
			if err := ask(other); err != nil {
				t.Errorf("%s: %s of the other repository: %v", kind, what, err)
			}
		}
		if got := s.hooksOf(); got != "octo/demo-old octo/demo" {
			t.Fatalf("%s: webhooks %s", kind, got)
		}
		for range 2 {
			if err := h.RemoveHook(ctx, repo, address); err != nil || s.hooksOf() != "octo/demo" {
				t.Errorf("%s: %v: %s", kind, err, s.hooksOf())
			}
		}
		s.change("octo/demo-old", simapi.RepoChange{Delete: true})
		if err := h.RemoveHook(ctx, repo, address); err != nil || s.hooksOf() != "octo/demo" {
			t.Errorf("%s: after it was deleted: %v: %s", kind, err, s.hooksOf())
		}
	}
}

// The webhook of a renamed repository is removed although the host redirects.
func TestWebhookOfARenamedRepository(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s, ctx := newSim(t, kind), t.Context()
		h := s.host(&codehosttest.Gate{}, neededScopes...)
		repo := codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
		must(h.EnsureHook(ctx, repo, ownerHookAddress, secret.New("hook"+"-key")))(t)
		s.change("octo/demo", simapi.RepoChange{Name: "renamed"})
		if err := h.RemoveHook(ctx, repo, ownerHookAddress); err != nil || s.hooksOf() != "" {
			t.Errorf("%s: %v: %q", kind, err, s.hooksOf())
		}
	}
}
