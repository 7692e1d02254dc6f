package gitlab

import (
	"context"
	"slices"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Threads implements [codehost.Reader]. A push moves notes on unchanged lines to the new head; a note on an
// older head is outdated (app/services/discussions/update_diff_position_service.rb of gitlab-org/gitlab).
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Thread, error) {
	const op = "list threads"
	m, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.discussions(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Thread
	for _, d := range slices.Backward(list) {
		if d == nil || len(d.Notes) == 0 || d.Notes[0] == nil || len(out) == codehost.MaxThreads {
			continue
		}
		n := d.Notes[0]
		if n.System || n.Position == nil || n.Resolved || n.Position.PositionType != "text" || n.Position.HeadSHA != m.DiffRefs.HeadSha {
			continue
		}
		side, first, last := spanOf(n.Position)
		if last <= 0 {
			continue
		}
		t := codehost.Thread{Path: n.Position.NewPath, Side: side, StartLine: first, Line: last, Author: n.Author.Username,
			Mine: n.Author.ID == self.id, Body: n.Body}
		t.Bot = t.Mine || isRobot(t.Author)
		if t.Path == "" { // both sides name a file by its new path
			t.Path = n.Position.OldPath
		}
		if t, fits := t.Bounded(); fits {
			out = append(out, t)
		}
	}
	return out, nil
}

// SetResolved implements [codehost.Resolver] (docs.gitlab.com/api/discussions, "Resolve a merge request
// thread"). Only developers and the author of the merge request may resolve (app/policies/note_policy.rb of
// gitlab-org/gitlab); others get [codehost.ClassForbidden].
func (h *Host) SetResolved(ctx context.Context, repo codehost.Repo, number int, comment domain.HostID, resolved bool) error {
	const op = "resolve thread"
	if err := checkPull(op, repo, number); err != nil {
		return err
	}
	at, err := parseNote(op, comment)
	switch {
	case err != nil:
		return err
	case at.number != number:
		return &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the thread is of another merge request"}
	case at.discussion == "":
		return codehost.Refused(op, "a comment of the conversation is not a thread")
	}
	return h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
		_, _, err := c.Discussions.ResolveMergeRequestDiscussion(repo.FullName(), int64(number), at.discussion,
			&sdk.ResolveMergeRequestDiscussionOptions{Resolved: &resolved}, with)
		return err
	})
}
