package gitlab

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A project is not confused with another one that took its path, and its webhook is removed from it and not
// from the other one.
func TestAPathThatAnotherProjectTook(t *testing.T) {
	t.Parallel()
	s, ctx := newSim(t), t.Context()
	h, key := s.host(&codehosttest.Gate{}), secret.New("hook"+"-key")
	repo := codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo/team", Name: "demo"}
	address := codehost.RepositoryHook("https://assay.example/webhooks/host-b/c1", repo.ExternalID)
	must(h.EnsureHook(ctx, repo, address, key))(t)

	s.change(named, simapi.RepoChange{Name: "demo-old"})
	s.repo = must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo/team", Name: "demo", Files: map[string]string{"README.md": "# Other\n"},
		Collaborators: map[string]string{"ann": "write", "bot": "maintain"}}))(t)
	pull := s.open("topic", "half.go", simFile)
	other := repo
	other.ExternalID = domain.NumberID(s.repo.ID)
	must(h.EnsureHook(ctx, other, address, key))(t)
	for what, ask := range map[string]func(codehost.Repo) error{
		"a merge request":     func(at codehost.Repo) error { _, err := h.PullRequest(ctx, at, pull.Number); return err },
		"open merge requests": func(at codehost.Repo) error { _, err := h.OpenPullRequests(ctx, at); return err },
	} {
		if err := ask(repo); codehost.ClassOf(err) != codehost.ClassMoved {
			t.Errorf("%s by the former path: %v", what, err)
		}
		if err := ask(other); err != nil {
			t.Errorf("%s of the other project: %v", what, err)
		}
	}
	if err := h.RemoveHook(ctx, repo, address); err != nil {
		t.Error(err)
	}
	old := repo
	old.Name = "demo-old"
	if mine, theirs := must(h.Hook(ctx, old, address))(t), must(h.Hook(ctx, other, address))(t); mine.ID != "" || theirs.ID == "" {
		t.Errorf("left: %+v here, %+v there", mine, theirs)
	}
}
