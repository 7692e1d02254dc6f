package github

import (
	"strings"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
)

func isBot(u *gh.User) bool { return strings.EqualFold(u.GetType(), "Bot") }

func pullRequest(p *gh.PullRequest) codehost.PullRequest {
	out := codehost.PullRequest{
		Number: p.GetNumber(), Title: p.GetTitle(), Body: p.GetBody(), URL: p.GetHTMLURL(),
		Author: p.GetUser().GetLogin(), AuthorID: hostID(p.GetUser().GetID()), AuthorIsBot: isBot(p.GetUser()),
		Association: p.GetAuthorAssociation(),
		Open:        p.GetState() == "open", Merged: p.GetMerged() || !p.GetMergedAt().IsZero(), Draft: p.GetDraft(),
		HeadSHA: p.GetHead().GetSHA(), HeadRef: p.GetHead().GetRef(),
		BaseSHA: p.GetBase().GetSHA(), BaseRef: p.GetBase().GetRef(),
		CreatedAt:    p.GetCreatedAt().Time,
		UpdatedAt:    p.GetUpdatedAt().Time,
		ChangedFiles: p.GetChangedFiles(), Additions: p.GetAdditions(), Deletions: p.GetDeletions(),
	}
	if out.Merged { // before the merge it is a trial merge, after it the new base commit (GitHub REST description, "Get a pull request")
		out.MergedAt, out.MergeCommit = p.GetMergedAt().Time, p.GetMergeCommitSHA()
	}
	// The head repository is null after a fork was deleted.
	out.FromFork = p.GetHead().GetRepo() == nil || p.GetHead().GetRepo().GetID() != p.GetBase().GetRepo().GetID()
	for _, l := range p.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	return out
}

func changedFile(f *gh.CommitFile) codehost.ChangedFile {
	return codehost.ChangedFile{Path: f.GetFilename(), OldPath: f.GetPreviousFilename(), Status: f.GetStatus(),
		Additions: f.GetAdditions(), Deletions: f.GetDeletions(), Patch: f.GetPatch()}
}

func (id account) review(r *gh.PullRequestReview) codehost.Review {
	state := codehost.ReviewSubmitted
	if r.GetState() == "PENDING" {
		state = codehost.ReviewPending
	}
	return codehost.Review{ID: hostID(r.GetID()), State: state, Body: r.GetBody(), Commit: r.GetCommitID(), URL: r.GetHTMLURL(),
		Mine: id.is(r.GetUser())}
}

func (id account) comment(c *gh.PullRequestComment) codehost.Comment {
	line := c.GetLine()
	if line == 0 { // outdated comments have only an original line
		line = c.GetOriginalLine()
	}
	return codehost.Comment{ID: hostID(c.GetID()), Path: c.GetPath(), Side: c.GetSide(), Line: line, Body: c.GetBody(), URL: c.GetHTMLURL(),
		Mine: id.is(c.GetUser()), Review: hostID(c.GetPullRequestReviewID())}
}

// conversationComment converts a conversation comment.
func (id account) conversationComment(c *gh.IssueComment) codehost.Comment {
	return codehost.Comment{ID: hostID(c.GetID()), Body: c.GetBody(), URL: c.GetHTMLURL(), Mine: id.is(c.GetUser())}
}

func repoInfo(r *gh.Repository) codehost.RepoInfo {
	return codehost.RepoInfo{ExternalID: hostID(r.GetID()), Owner: r.GetOwner().GetLogin(), Name: r.GetName(),
		DefaultBranch: r.GetDefaultBranch(), Private: r.GetPrivate(), Internal: r.GetPrivate() &&
			r.GetVisibility() == internalWord, Archived: r.GetArchived()}
}

func installation(i *gh.Installation) codehost.Installation {
	return codehost.Installation{ID: hostID(i.GetID()), AccountLogin: i.GetAccount().GetLogin(), AccountID: hostID(i.GetAccount().GetID()),
		AccountType: i.GetAccount().GetType(), Suspended: !i.GetSuspendedAt().IsZero(), AppSlug: i.GetAppSlug()}
}
