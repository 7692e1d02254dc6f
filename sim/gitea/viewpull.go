package gitea

import (
	"fmt"
	"slices"
)

// pullStats are the figures of a pull request, computed before Server.Mu is taken.
type pullStats struct {
	Additions, Deletions, Files int
}

func (v view) pullHTML(r *repository, p *pull) string {
	return fmt.Sprintf("%s/pulls/%d", v.repoHTML(r), p.Number)
}

func (v view) branch(r *repository, ref, sha string) obj {
	return obj{"label": ref, "ref": ref, "sha": sha, "repo_id": r.ID, "repo": v.repository(r, "none")}
}

// pull renders a pull request.
func (v view) pull(r *repository, p *pull, n pullStats) obj {
	page := v.pullHTML(r, p)
	inlines := 0
	for _, c := range p.Comments {
		if !p.pending(c) {
			inlines++
		}
	}
	o := obj{"id": p.ID, "url": page, "number": p.Number, "user": v.user(p.Author), "title": p.Title, "body": p.Body,
		"labels": v.labels(r, p), "milestone": nil,
		"assignee": nil, "assignees": nil, "requested_reviewers": v.users(p.requested()), "requested_reviewers_teams": []any{},
		"state": p.State, "draft": p.draft(),
		"is_locked": false, "comments": len(p.IssueComments), "review_comments": inlines, "additions": n.Additions,
		"deletions": n.Deletions, "changed_files": n.Files,
		"html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch", "mergeable": p.State == "open",
		"merged": p.Merged != 0, "merged_at": p.Merged.RFC3339(),
		"merge_commit_sha": nil, "merged_by": nil, "allow_maintainer_edit": false, "base": v.branch(r, p.BaseRef, p.BaseSHA),
		"merge_base": p.MergeBase, "due_date": nil,
		"created_at": timeOf(p.Created), "updated_at": timeOf(p.Updated), "closed_at": p.Closed.RFC3339(), "pin_order": 0, "content_version": 0}
	if p.MergeSHA != "" {
		o["merge_commit_sha"], o["merged_by"] = p.MergeSHA, v.user(p.MergedBy)
	}
	ref := fmt.Sprintf("refs/pull/%d/head", p.Number)
	switch from := v.st.Repos[p.HeadRepoID]; {
	case from == nil: // the fork is gone
		o["head"] = obj{"label": p.Head, "ref": ref, "sha": p.HeadSHA, "repo_id": -1, "repo": nil}
	case p.Branchless: // services/convert/pull.go of the host, PullRequestFlowAGit
		o["head"] = obj{"label": "", "ref": ref, "sha": p.HeadSHA, "repo_id": r.ID, "repo": v.repository(r, "none")}
	default:
		o["head"] = v.branch(from, p.Head, p.HeadSHA)
	}
	return o
}

// issue renders a pull request as an issue.
func (v view) issue(r *repository, p *pull) obj {
	page := v.pullHTML(r, p)
	return obj{"id": p.IssueID, "url": fmt.Sprintf("%s/issues/%d", v.repoAPI(r), p.Number), "html_url": page, "number": p.Number,
		"user":            v.user(p.Author),
		"original_author": "", "original_author_id": 0, "title": p.Title, "body": p.Body, "ref": "", "assets": []any{},
		"labels": v.labels(r, p), "milestone": nil,
		"assignee": nil, "assignees": nil, "state": p.State, "is_locked": false, "comments": len(p.IssueComments),
		"created_at": timeOf(p.Created),
		"updated_at": timeOf(p.Updated), "closed_at": p.Closed.RFC3339(), "due_date": nil, "time_estimate": 0, "pin_order": 0,
		"content_version": 0,
		"pull_request":    obj{"merged": p.Merged != 0, "merged_at": p.Merged.RFC3339(), "draft": p.draft(), "html_url": page},
		"repository":      obj{"id": r.ID, "name": r.Name, "owner": r.Owner, "full_name": r.FullName()}}
}

func (v view) issueComment(r *repository, p *pull, c *issueComment) obj {
	page := v.pullHTML(r, p)
	return obj{"id": c.ID, "html_url": fmt.Sprintf("%s#issuecomment-%d", page, c.ID), "pull_request_url": page, "issue_url": "",
		"user":            v.user(c.User),
		"original_author": "", "original_author_id": 0, "body": c.Body, "assets": []any{}, "created_at": timeOf(c.Created),
		"updated_at": timeOf(c.Updated)}
}

// isOfficial reports whether a review counts for a protected branch: here, whether its author has write
// access.
func (v view) isOfficial(r *repository, rv *review) bool {
	u := v.st.user(rv.User)
	return u != nil && (rv.State == stateApproved || rv.State == stateChanges) && rank[v.st.role(u, r)] >= rank["write"]
}

func (v view) review(r *repository, p *pull, rv *review) obj {
	page := v.pullHTML(r, p)
	return obj{"id": rv.ID, "user": v.user(rv.User), "team": nil, "state": rv.State, "body": rv.Body, "commit_id": rv.CommitID,
		"stale":    rv.CommitID != p.HeadSHA && rv.CommitID != "",
		"official": v.isOfficial(r, rv), "dismissed": rv.Dismissed, "comments_count": len(p.commentsOf(rv.ID)),
		"submitted_at": timeOf(rv.Created),
		"updated_at":   timeOf(rv.Updated), "html_url": v.reviewPage(r, p, rv), "pull_request_url": page}
}

func (v view) inline(r *repository, p *pull, c *inline) obj {
	page := v.pullHTML(r, p)
	position, original := c.Line, 0
	if c.Line < 0 {
		position, original = 0, -c.Line
	}
	return obj{"id": c.ID, "body": c.Body, "user": v.user(c.User), "resolver": v.user(c.ResolvedBy),
		"pull_request_review_id": c.ReviewID, "created_at": timeOf(c.Created),
		"updated_at": timeOf(c.Updated), "path": c.Path, "commit_id": c.CommitID, "original_commit_id": "", "diff_hunk": c.DiffHunk,
		"position":          position,
		"original_position": original, "html_url": fmt.Sprintf("%s#issuecomment-%d", page, c.ID), "pull_request_url": page}
}

// shuffled returns the comments of a review in a random-looking order, because the host collects them in a map
// by path and line.
func shuffled(list []*inline) []*inline {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b *inline) int { return int(a.ID*7919%101) - int(b.ID*7919%101) })
	return out
}
