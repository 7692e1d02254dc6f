package gitea

import (
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// systemUser reports whether an account belongs to the host: the ghost (-1) or the account of workflows
// (-2) (models/user/user_system.go). The API does not distinguish accounts of other programs from people.
func systemUser(u *sdk.User) bool { return u != nil && u.ID < 0 }

func login(u *sdk.User) string {
	if u == nil {
		return ""
	}
	return u.UserName
}

func userID(u *sdk.User) int64 {
	if u == nil {
		return 0
	}
	return u.ID
}

// isDraft reports whether a title marks a pull request as a draft, by the default prefixes. An instance may
// have others (modules/setting/repository.go, WorkInProgressPrefixes).
func isDraft(title string) bool {
	upper := strings.ToUpper(title)
	return strings.HasPrefix(upper, "WIP:") || strings.HasPrefix(upper, "[WIP]")
}

func pullRequest(p *sdk.PullRequest) codehost.PullRequest {
	out := codehost.PullRequest{
		Number: int(p.Index), Title: p.Title, Body: p.Body, URL: p.HTMLURL,
		Author: login(p.Poster), AuthorID: wire.HostID(userID(p.Poster)), AuthorIsBot: systemUser(p.Poster),
		Open: p.State == sdk.StateOpen, Merged: p.HasMerged || p.Merged != nil, Draft: p.Draft || isDraft(p.Title),
		ChangedFiles: value(p.ChangedFiles), Additions: value(p.Additions), Deletions: value(p.Deletions),
	}
	out.CreatedAt, out.UpdatedAt = codehost.TimeOrZero(p.Created), codehost.TimeOrZero(p.Updated)
	base, head := p.Base, p.Head
	if base != nil {
		out.BaseSHA, out.BaseRef = base.Sha, base.Ref
		if base.Repository != nil && base.Repository.Owner != nil && userID(p.Poster) > 0 && userID(p.Poster) == base.Repository.Owner.ID {
			out.Association = codehost.AssociationOwner
		}
	}
	if out.Merged {
		out.MergedAt, out.MergeCommit = codehost.TimeOrZero(p.Merged), text(p.MergedCommitID)
	}
	// The host reports the present tips of both branches. A later push to an existing head branch looks
	// like a part of the merge. The tip of the base contains the head after a merge, but the merge base
	// stays unchanged (services/convert/pull.go, ToAPIPullRequest).
	if p.MergeBase != "" && (out.BaseSHA == "" || out.Merged) {
		out.BaseSHA = p.MergeBase
	}
	// The head repository is -1 after its fork was deleted. A change pushed without a branch ("AGit") has
	// no head repository, even if its author is a member. Both count as forks.
	out.FromFork = true
	if head != nil {
		out.HeadSHA, out.HeadRef = head.Sha, head.Name
		if out.HeadRef == "" {
			out.HeadRef = head.Ref
		}
		ours := base != nil && head.RepoID > 0 && head.RepoID == base.RepoID
		out.FromFork, out.Branchless = !ours || head.Name == "", branchless(ours, head.Name)
	}
	for _, l := range p.Labels {
		if l != nil {
			out.Labels = append(out.Labels, l.Name)
		}
	}
	return out
}

// branchless reports whether a change was pushed to refs/for/… of its repository, as any reader may do
// (services/agit/agit.go of go-gitea/gitea). The topic's name begins with the author's name, so that only
// the author can push to it.
func branchless(ours bool, label string) bool { return ours && label == "" }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// statuses translates the words of services/convert/convert.go, ToChangedFile, that differ from the port's.
var statuses = map[string]string{"changed": "modified", "deleted": "removed"}

func changedFile(f *sdk.ChangedFile) codehost.ChangedFile {
	status := f.Status
	if word, other := statuses[status]; other {
		status = word
	}
	return codehost.ChangedFile{Path: f.Filename, OldPath: f.PreviousFilename, Status: status, Additions: f.Additions, Deletions: f.Deletions}
}

// account is the user of the token. Its number survives a rename.
type account struct {
	id    int64
	login string
}

func (a account) is(u *sdk.User) bool { return a.id > 0 && userID(u) == a.id }

func (a account) review(r *sdk.PullReview) codehost.Review {
	state := codehost.ReviewSubmitted
	if r.State == sdk.ReviewStatePending {
		state = codehost.ReviewPending
	}
	return codehost.Review{ID: wire.HostID(r.ID), State: state, Body: r.Body, Commit: r.CommitID, URL: r.HTMLURL, Mine: a.is(r.Reviewer)}
}

func (a account) comment(c *sdk.PullReviewComment) codehost.Comment {
	side, line := sideAndLine(c)
	return codehost.Comment{ID: wire.HostID(c.ID), Path: c.Path, Side: side, Line: line, Body: c.Body, URL: c.HTMLURL,
		Mine: a.is(c.Reviewer), Review: wire.HostID(c.ReviewID),
		Open: line > 0 && userID(c.Resolver) == 0}
}

// conversationComment converts a conversation comment.
func (a account) conversationComment(c *sdk.Comment) codehost.Comment {
	return codehost.Comment{ID: wire.HostID(c.ID), Body: c.Body, URL: c.HTMLURL, Mine: a.is(c.Poster)}
}

// sideAndLine returns the side and line of an inline comment: position is a line of the new file,
// original_position one of the old file (services/convert/pull_review.go).
func sideAndLine(c *sdk.PullReviewComment) (side string, line int) {
	const most = 1 << 30
	if c.LineNum == 0 && c.OldLineNum != 0 {
		return "LEFT", int(min(c.OldLineNum, most))
	}
	return "RIGHT", int(min(c.LineNum, most))
}

func repoInfo(r *sdk.Repository) codehost.RepoInfo {
	return codehost.RepoInfo{ExternalID: wire.HostID(r.ID), Owner: login(r.Owner), Name: r.Name, DefaultBranch: r.DefaultBranch,
		Private: r.Private || r.Internal, Internal: r.Internal && !r.Private, Archived: r.Archived, CreatedAt: r.Created}
}
