package gitea

import (
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// systemUser reports an account that no person has: the ghost (-1) and the one
// that workflows act as (-2) (models/user/user_system.go). Other programs use
// accounts that the API does not tell from those of people.
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

// isDraft reports whether a title marks a pull request as a draft: these prefixes
// hold unless the instance has others (modules/setting/repository.go,
// WorkInProgressPrefixes).
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
	out.CreatedAt, out.UpdatedAt = codehost.Time(p.Created), codehost.Time(p.Updated)
	base, head := p.Base, p.Head
	if base != nil {
		out.BaseSHA, out.BaseRef = base.Sha, base.Ref
		if base.Repository != nil && base.Repository.Owner != nil && userID(p.Poster) > 0 && userID(p.Poster) == base.Repository.Owner.ID {
			out.Association = codehost.AssociationOwner
		}
	}
	if out.Merged {
		out.MergedAt, out.MergeCommit = codehost.Time(p.Merged), text(p.MergedCommitID)
	}
	// The head is the tip of its branch, too, as long as there is one: what is pushed to it
	// after the merge cannot be told from what was merged. The base is the tip of its branch now, which after a merge contains the head; the
	// merge base stays what it was (services/convert/pull.go, ToAPIPullRequest).
	if p.MergeBase != "" && (out.BaseSHA == "" || out.Merged) {
		out.BaseSHA = p.MergeBase
	}
	// The head repository is -1 after its fork was deleted. A change that was pushed without
	// a branch ("AGit") has no head repository, even if its author is a member: both count as forks.
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

// branchless reports whether a change was pushed to refs/for/… of its repository, which any reader
// may do (services/agit/agit.go of go-gitea/gitea): the name of its topic begins with the name of its
// author, so that no other account pushes to it.
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

// statuses are the port's words for those of services/convert/convert.go,
// ToChangedFile; the rest is the same.
var statuses = map[string]string{"changed": "modified", "deleted": "removed"}

func changedFile(f *sdk.ChangedFile) codehost.ChangedFile {
	status := f.Status
	if word, other := statuses[status]; other {
		status = word
	}
	return codehost.ChangedFile{Path: f.Filename, OldPath: f.PreviousFilename, Status: status, Additions: f.Additions, Deletions: f.Deletions}
}

// account is the user that the token belongs to. Its number survives a rename.
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
	side, line := spot(c)
	out := codehost.Comment{ID: wire.HostID(c.ID), Path: c.Path, Side: side, Line: line, Body: c.Body, URL: c.HTMLURL,
		Mine: a.is(c.Reviewer), Review: wire.HostID(c.ReviewID),
		Open: line > 0 && userID(c.Resolver) == 0}
	if id := userID(c.Resolver); id != 0 && !a.is(c.Resolver) {
		out.ResolvedBy = codehost.Sender{Login: login(c.Resolver), ID: wire.HostID(id), IsBot: systemUser(c.Resolver)}
	}
	return out
}

// remark converts a comment of the conversation.
func (a account) remark(c *sdk.Comment) codehost.Comment {
	return codehost.Comment{ID: wire.HostID(c.ID), Body: c.Body, URL: c.HTMLURL, Mine: a.is(c.Poster)}
}

// spot is the side and line of an inline comment: position is a line of the new
// file, original_position one of the old (services/convert/pull_review.go).
func spot(c *sdk.PullReviewComment) (side string, line int) {
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
