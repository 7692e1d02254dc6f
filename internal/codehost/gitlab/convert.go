package gitlab

import (
	"strconv"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// pullRequest is a merge request in the port's words. A list has no diff refs, so no
// base.
func pullRequest(m *sdk.BasicMergeRequest, refs sdk.MergeRequestDiffRefs) codehost.PullRequest {
	out := codehost.PullRequest{
		Number: int(m.IID), Title: m.Title, Body: m.Description, URL: m.WebURL, Open: m.State == "opened", Merged: m.State == "merged", Draft: m.Draft,
		HeadSHA: m.SHA, HeadRef: m.SourceBranch, BaseSHA: refs.StartSha, BaseRef: m.TargetBranch, Labels: m.Labels,
		FromFork: m.SourceProjectID <= 0 || m.SourceProjectID != m.TargetProjectID, // a fork that was deleted has no number
	}
	if m.State == "locked" { // while it is merged
		out.Open = true
	}
	if refs.HeadSha != "" {
		out.HeadSHA = refs.HeadSha
	}
	if m.Author != nil {
		out.Author, out.AuthorID, out.AuthorIsBot = m.Author.Username, wire.HostID(m.Author.ID), isRobot(m.Author.Username)
	}
	out.CreatedAt = codehost.Time(m.CreatedAt)
	if m.UpdatedAt != nil {
		out.UpdatedAt = *m.UpdatedAt
	}
	if m.MergedAt != nil && out.Merged {
		out.MergedAt = *m.MergedAt
		out.MergeCommit = mergeCommit(m, out.HeadSHA)
	}
	return out
}

// mergeCommit is what a merge made of the target: the merge commit, else the commit of
// a squash, else, of a fast-forward, the head itself.
func mergeCommit(m *sdk.BasicMergeRequest, head string) string {
	for _, sha := range []string{m.MergeCommitSHA, m.SquashCommitSHA} {
		if codehost.IsCommit(sha) {
			return sha
		}
	}
	return head
}

// changesCount reads how many files are changed: the host writes a text, which ends with
// a plus where it stopped counting (docs.gitlab.com/api/merge_requests, "Get single MR").
func changesCount(text string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "+"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// access words by level (docs.gitlab.com/api/members, "Roles"; what they may do: docs.gitlab.com/user/permissions). A guest
// and a planner see a private project but not its code.
const (
	levelReporter   = 20
	levelDeveloper  = 30
	levelMaintainer = 40
	levelOwner      = 50
)

// word is the port's word for an access level.
func word(level sdk.AccessLevelValue) string {
	switch {
	case level >= levelOwner:
		return "admin"
	case level >= levelMaintainer:
		return "maintain"
	case level >= levelDeveloper:
		return "write"
	case level >= levelReporter:
		return "read"
	}
	return "none"
}

// open is what everybody, or everybody who has signed in, may do with a project: read it,
// where its code is not for members alone.
func open(p *sdk.Project) string {
	if p.Visibility == sdk.PublicVisibility || p.Visibility == sdk.InternalVisibility {
		if p.RepositoryAccessLevel == "" || p.RepositoryAccessLevel == sdk.EnabledAccessControl || p.RepositoryAccessLevel == sdk.PublicAccessControl {
			return "read"
		}
	}
	return "none"
}

func repoInfo(p *sdk.Project) codehost.RepoInfo {
	owner := ""
	if at := strings.LastIndexByte(p.PathWithNamespace, '/'); at > 0 {
		owner = p.PathWithNamespace[:at]
	}
	return codehost.RepoInfo{ExternalID: wire.HostID(p.ID), Owner: owner, Name: p.Path, DefaultBranch: p.DefaultBranch,
		Private: p.Visibility != sdk.PublicVisibility, Internal: p.Visibility == sdk.InternalVisibility, Archived: p.Archived, CreatedAt: codehost.Time(p.CreatedAt)}
}

// noteType is the type of a note on lines, as the interface names it.
const (
	noteOnLines  = "DiffNote"
	noteInThread = "DiscussionNote"
)

// comment is a note in the port's words. discussion is the one that it stands in.
func (a account) comment(number int, discussion string, n *sdk.Note, url string) codehost.Comment {
	at := noteID{number: number, note: n.ID}
	out := codehost.Comment{Body: n.Body, Mine: a.id > 0 && n.Author.ID == a.id, Open: n.Resolvable && !n.Resolved, URL: url + "#note_" + strconv.FormatInt(n.ID, 10)}
	if string(n.Type) == noteOnLines || string(n.Type) == noteInThread {
		at.discussion = discussion
	}
	if n.Position != nil {
		side, _, line := spanOf(n.Position)
		out.Path, out.Side, out.Line = n.Position.NewPath, side, line
		if side == string(domain.Left) {
			out.Path = n.Position.OldPath
		}
	}
	out.ID = at.id()
	return out
}

// spanOf is the side and the first and last line of a position: a note on a removed
// line has an old number alone.
func spanOf(p *sdk.NotePosition) (side string, first, last int) {
	const most = 1 << 30
	number := func(n int64) int { return int(min(max(n, 0), most)) }
	side, last = string(domain.Right), number(p.NewLine)
	if p.NewLine == 0 {
		side, last = string(domain.Left), number(p.OldLine)
	}
	first = last
	if r := p.LineRange; r != nil && r.StartRange != nil {
		begin := number(r.StartRange.NewLine)
		if side == string(domain.Left) {
			begin = number(r.StartRange.OldLine)
		}
		if begin > 0 && begin < last {
			first = begin
		}
	}
	return side, first, last
}
