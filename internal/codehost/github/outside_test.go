package github

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// The fields that mark a pull request from outside pass through unchanged: the head's repository, and the
// author's association.
func TestWhoAPullRequestComesFrom(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	h := s.host(t, &codehosttest.Gate{})
	repo := codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
	for _, c := range []struct {
		branch, author, fork, merged string
		association                  string
	}{
		{branch: "own", author: "ann", association: "COLLABORATOR"},
		{branch: "owner", author: "octo", association: codehost.AssociationOwner},
		{branch: "first", author: "eve", fork: "eve", merged: "ann", association: "FIRST_TIME_CONTRIBUTOR"},
		{branch: "second", author: "eve", fork: "eve", association: "CONTRIBUTOR"},
	} {
		if _, err := s.Commit(t.Context(), "octo/demo", simapi.CommitSpec{Branch: c.branch, From: s.repo.HeadSHA, Files: map[string]string{c.branch: c.branch}, Author: c.author}); err != nil {
			t.Fatal(err)
		}
		pull, err := s.OpenPull(t.Context(), "octo/demo", simapi.PullSpec{Title: c.branch, Head: c.branch, Author: c.author, Fork: c.fork})
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.PullRequest(t.Context(), repo, pull.Number)
		if err != nil {
			t.Fatal(err)
		}
		if got.Association != c.association || got.FromFork != (c.fork != "") {
			t.Errorf("%s: %s, from a fork: %t", c.branch, got.Association, got.FromFork)
		}
		if c.merged != "" {
			if _, err := s.UpdatePull(t.Context(), "octo/demo", pull.Number, simapi.PullUpdate{State: "merged", Actor: c.merged}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
