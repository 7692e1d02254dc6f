package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// Author returns the name and the address in a login's commits.
type Author func(login string) (name, email string)

// change turns a commit request into a change for git.
func (by Author) change(c simapi.CommitSpec, now time.Time) gitrepo.Change {
	if !c.At.IsZero() {
		now = c.At
	}
	name, email := by(c.Author)
	return gitrepo.Change{Branch: c.Branch, From: c.From, Merge: c.Merge, Files: c.Files, Delete: c.Delete,
		Message: OrElse(c.Message, "Update"),
		Name:    name, Email: email, At: now}
}

// InitRepo makes the git repository of an id with its first commit, sets the defaults of spec, and returns the
// commit.
func (s *Server) InitRepo(ctx context.Context, id int64, spec *simapi.RepoSpec, by Author) (*gitrepo.Repo, string, error) {
	spec.DefaultBranch = OrElse(spec.DefaultBranch, "main")
	if len(spec.Files) == 0 {
		spec.Files = map[string]string{"README.md": "# " + spec.Name + "\n"}
	}
	git, err := gitrepo.Init(s.GitDir(id), spec.DefaultBranch)
	if err != nil {
		return nil, "", err
	}
	sha, err := git.Commit(ctx, by.change(simapi.CommitSpec{Branch: spec.DefaultBranch, Files: spec.Files,
		Message: OrElse(spec.Message, "Initial commit"), Author: spec.Author, At: spec.At}, s.Now()))
	return git, sha, err
}

// Advance makes a commit on a branch or moves the branch; a new branch begins at usual. GitMu must be held, Mu
// must not.
func (s *Server) Advance(ctx context.Context, git *gitrepo.Repo, c simapi.CommitSpec, usual string, by Author) (simapi.Commit, error) {
	if !gitrepo.ValidBranch(c.Branch) {
		return simapi.Commit{}, errors.New("branch: must be a valid branch name")
	}
	before, err := git.Resolve(ctx, "heads/"+c.Branch)
	if err != nil {
		before = gitrepo.ZeroSHA
		if c.From == "" && c.MoveTo == "" {
			c.From = usual
		}
	}
	after := ""
	if c.MoveTo != "" {
		if after, err = git.Resolve(ctx, c.MoveTo); err != nil {
			return simapi.Commit{}, errors.New("moveTo: there is no such commit")
		}
		err = git.SetRef(ctx, "refs/heads/"+c.Branch, after)
	} else {
		after, err = git.Commit(ctx, by.change(c, s.Now()))
	}
	if err != nil {
		return simapi.Commit{}, err
	}
	return simapi.Commit{SHA: after, Before: before, Forced: before != gitrepo.ZeroSHA && !git.IsAncestor(ctx, before, after)}, nil
}

// Merged is a branch before and after a merge; the zero value means no merge.
type Merged struct{ Before, After string }

// Merge makes a merge commit of head on a branch. GitMu must be held, Mu must not.
func (s *Server) Merge(ctx context.Context, git *gitrepo.Repo, branch, head, message string, by gitrepo.Identity) (Merged, error) {
	before, err := git.Resolve(ctx, "heads/"+branch)
	if err != nil {
		return Merged{}, errors.New("state: the target branch is gone")
	}
	by.At = s.Now()
	after, err := git.Merge(ctx, before, head, message, by)
	if err != nil {
		return Merged{}, fmt.Errorf("state: %w", err)
	}
	return Merged{before, after}, git.SetRef(ctx, "refs/heads/"+branch, after)
}
