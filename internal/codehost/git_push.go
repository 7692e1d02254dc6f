package codehost

import "context"

// CommitAuthor is the author and committer of a commit that git makes.
type CommitAuthor struct{ Name, Email string }

// GitPusher makes commits with git for adapters of hosts whose API cannot change several files in one commit.
type GitPusher interface {
	// PushCommit makes one commit on c.Head and pushes it to the branch, which must point to c.Head. The caller has checked c. Its
	// errors are those of [Committer].Commit.
	PushCommit(ctx context.Context, access CloneAccess, repo Repo, c NewCommit, by CommitAuthor) (MadeCommit, error)
}
