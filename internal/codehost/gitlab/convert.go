package gitlab

import (
	"strconv"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// pullRequest converts a merge request. Lists have no diff refs and so no base.
func pullRequest(m *sdk.BasicMergeRequest, refs sdk.MergeRequestDiffRefs) codehost.PullRequest {
	out := codehost.PullRequest{
		Number: int(m.IID), Title: m.Title, Body: m.Description, URL: m.WebURL, Open: m.State == "opened", Merged: m.State == "merged",
		Draft:   m.Draft,
		HeadSHA: m.SHA, HeadRef: m.SourceBranch, BaseSHA: refs.StartSha, BaseRef: m.TargetBranch, Labels: m.Labels,
		FromFork: m.SourceProjectID <= 0 || m.SourceProjectID != m.TargetProjectID, // a deleted fork has no number
	}
	if m.State == "locked" { // during the merge
		out.Open = true
	}
	if refs.HeadSha != "" {
		out.HeadSHA = refs.HeadSha
	}
	if m.Author != nil {
		out.Author, out.AuthorID, out.AuthorIsBot = m.Author.Username, wire.HostID(m.Author.ID), isRobot(m.Author.Username)
	}
	out.CreatedAt = codehost.TimeOrZero(m.CreatedAt)
	if m.UpdatedAt != nil {
		out.UpdatedAt = *m.UpdatedAt
	}
	if m.MergedAt != nil && out.Merged {
		out.MergedAt = *m.MergedAt
		out.MergeCommit = mergeCommit(m, out.HeadSHA)
	}
	return out
}

// mergeCommit returns the commit that a merge made on the target: the merge commit, the squashed commit, or
// the head after a fast-forward.
func mergeCommit(m *sdk.BasicMergeRequest, head string) string {
	for _, sha := range []string{m.MergeCommitSHA, m.SquashCommitSHA} {
		if codehost.IsCommit(sha) {
			return sha
		}
	}
	return head
}

// changesCount returns the number of changed files. GitLab writes it as a text, which ends with a plus if
// it stopped counting (docs.gitlab.com/api/merge_requests, "Get single MR").
func changesCount(text string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "+"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Access levels (docs.gitlab.com/api/members, "Roles"; their permissions:
// docs.gitlab.com/user/permissions). Guests and planners see a private project but not its code.
const (
	levelReporter   = 20
	levelDeveloper  = 30
	levelMaintainer = 40
	levelOwner      = 50
)

// permissionWord returns the port's word for an access level.
func permissionWord(level sdk.AccessLevelValue) string {
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

// publicPermission returns the permission of every person, or every signed-in person, on a project: read, unless its
// code is for members only.
func publicPermission(p *sdk.Project) string {
	if p.Visibility == sdk.PublicVisibility || p.Visibility == sdk.InternalVisibility {
		if p.RepositoryAccessLevel == "" || p.RepositoryAccessLevel == sdk.EnabledAccessControl ||
			p.RepositoryAccessLevel == sdk.PublicAccessControl {
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
		Private: p.Visibility != sdk.PublicVisibility, Internal: p.Visibility == sdk.InternalVisibility, Archived: p.Archived,
		CreatedAt: codehost.TimeOrZero(p.CreatedAt)}
}

// Types of notes in a thread, as the API names them.
const (
	noteOnLines  = "DiffNote"
	noteInThread = "DiscussionNote"
)

// comment converts a note that is in the discussion.
func (a account) comment(number int, discussion string, n *sdk.Note, url string) codehost.Comment {
	at := noteID{number: number, note: n.ID}
	out := codehost.Comment{Body: n.Body, Mine: a.id > 0 && n.Author.ID == a.id, Open: n.Resolvable &&
		!n.Resolved, URL: url + "#note_" + strconv.FormatInt(n.ID, 10)}
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

// spanOf returns the side and the first and last line of a position. A note on a removed line has only an
// old number.
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
