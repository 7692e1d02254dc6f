package github

import (
	"net/http"
	"slices"

	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/patch"
)

// draftComment is an inline comment in a request.
type draftComment struct {
	Path        string `json:"path"`
	Body        string `json:"body"`
	CommitID    string `json:"commit_id"`
	Position    *int   `json:"position"`
	Line        *int   `json:"line"`
	Side        string `json:"side"`
	StartLine   *int   `json:"start_line"`
	StartSide   string `json:"start_side"`
	SubjectType string `json:"subject_type"`
	InReplyTo   int64  `json:"in_reply_to"`
}

// anchors places comments in the diff of one commit of a pull request.
type anchors struct {
	diff         *gitrepo.Diff
	base, commit string
}

// anchorAt prepares the diff for placing comments: that of the given commit, or of the head. Former heads stay
// acceptable after a force-push. [inference: the real host's behaviour then is not documented]
func (c *call) anchorAt(p *pull, base, head, commit string) (*anchors, *reply) {
	if commit == "" {
		commit = head
	}
	c.s.Mu.Lock()
	known := slices.Contains(p.Heads, commit)
	c.s.Mu.Unlock()
	if full, err := c.repo.git.Resolve(c.Ctx, commit); err != nil || full != commit {
		return nil, fail(http.StatusUnprocessableEntity, "Unprocessable Entity", "The commit_id is not part of the pull request")
	}
	if !known && (!c.repo.git.IsAncestor(c.Ctx, commit, head) || c.repo.git.IsAncestor(c.Ctx, commit, base)) {
		return nil, fail(http.StatusUnprocessableEntity, "Unprocessable Entity", "The commit_id is not part of the pull request")
	}
	d, mergeBase, err := c.s.pullDiff(c.Ctx, c.repo, base, commit)
	if err != nil {
		return nil, broken(c, err)
	}
	return &anchors{diff: d, base: mergeBase, commit: commit}, nil
}

// refusePlace returns the answer for a line or path outside the diff. Its text depends on the call, a whole
// review or a single comment, as observed on github.com.
func refusePlace(single bool, field, text string) *reply {
	if !single {
		return unprocessable(text)
	}
	return fail(http.StatusUnprocessableEntity, "Validation Failed",
		obj{"resource": "PullRequestReviewComment", "code": "custom", "field": "pull_request_review_thread." + field,
			"message": "pull_request_review_thread." + field + " must be part of the diff"},
		obj{"resource": "PullRequestReviewComment", "code": "missing_field", "field": "pull_request_review_thread.diff_hunk"})
}

// anchor checks a draft against the diff and returns the comment, without id, author and times.
func (a *anchors) anchor(d draftComment, single bool) (*reviewComment, *reply) {
	if d.Body == "" {
		return nil, invalid("PullRequestReviewComment", "body", "missing_field", "")
	}
	if bad := tooLong("PullRequestReviewComment", d.Body); bad != nil {
		return nil, bad
	}
	if d.Path == "" {
		return nil, invalid("PullRequestReviewComment", "path", "missing_field", "")
	}
	f := a.diff.Find(d.Path)
	if f == nil {
		return nil, refusePlace(single, "path", "Path could not be resolved")
	}
	cm := &reviewComment{Path: f.Path, OldPath: f.OldPath, Body: d.Body, CommitID: a.commit, BaseSHA: a.base, SubjectType: "line",
		Side: patch.Right}
	switch {
	case d.SubjectType == "file":
		cm.SubjectType, cm.Side = "file", ""
		return cm, nil
	case d.SubjectType != "" && d.SubjectType != "line":
		return nil, invalid("PullRequestReviewComment", "subject_type", "invalid", "")
	case (d.Side != "" && d.Side != patch.Left && d.Side != patch.Right) ||
		(d.StartSide != "" && d.StartSide != patch.Left && d.StartSide != patch.Right):
		return nil, invalid("PullRequestReviewComment", "side", "invalid", "side must be LEFT or RIGHT")
	case d.Line == nil && d.Position != nil:
		return a.byPosition(cm, f, *d.Position, single)
	case d.Line == nil:
		return nil, refusePlace(single, "line", "Line could not be resolved")
	}
	if d.Side != "" {
		cm.Side = d.Side
	}
	h, i, found := patch.Find(f.Hunks, cm.Side, *d.Line)
	if !found {
		return nil, refusePlace(single, "line", "Line could not be resolved")
	}
	cm.Line, cm.Position, cm.DiffHunk = *d.Line, f.Hunks[h].Lines[i].Position, patch.Excerpt(f.Hunks[h], i)
	if d.StartLine == nil {
		return cm, nil
	}
	cm.StartLine, cm.StartSide = *d.StartLine, cm.Side
	if d.StartSide != "" {
		cm.StartSide = d.StartSide
	}
	startHunk, j, found := patch.Find(f.Hunks, cm.StartSide, cm.StartLine)
	switch {
	case !found:
		return nil, refusePlace(single, "start_line", "Start line could not be resolved")
	case startHunk != h:
		return nil, unprocessable("Pull request review thread start line must be part of the same hunk as the line.")
	case j >= i || (cm.StartSide == cm.Side && cm.StartLine >= cm.Line):
		return nil, unprocessable("Pull request review thread start line must precede the end line.")
	}
	return cm, nil
}

func (a *anchors) byPosition(cm *reviewComment, f *gitrepo.File, position int, single bool) (*reviewComment, *reply) {
	h, i, found := patch.ByPosition(f.Hunks, position)
	if !found {
		return nil, refusePlace(single, "position", "Position could not be resolved")
	}
	l := f.Hunks[h].Lines[i]
	cm.Line, cm.Position, cm.DiffHunk = l.New, position, patch.Excerpt(f.Hunks[h], i)
	if l.Kind == '-' {
		cm.Side, cm.Line = patch.Left, l.Old
	}
	return cm, nil
}
