package gitlab

import (
	"context"
	"slices"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Threads implements [codehost.Reader]. A push moves notes on unchanged lines to the new head; a note on an
// older head is outdated (app/services/discussions/update_diff_position_service.rb of gitlab-org/gitlab).
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Thread, error) {
	const op = "list threads"
	self, list, err := h.onPresentLines(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Thread
	for _, d := range slices.Backward(list) {
		n := d.Notes[0]
		if n.Resolved || len(out) == codehost.MaxThreads {
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

// onPresentLines returns our account and the discussions on lines of the present head, oldest first.
func (h *Host) onPresentLines(ctx context.Context, op string, repo codehost.Repo, number int) (self account,
	out []*sdk.Discussion, err error) {
	m, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return self, nil, err
	}
	if self, err = h.ownAccount(ctx); err != nil {
		return self, nil, err
	}
	list, err := h.discussions(ctx, op, repo, number)
	for _, d := range list {
		if d == nil || len(d.Notes) == 0 || d.Notes[0] == nil {
			continue
		}
		if n := d.Notes[0]; !n.System && n.Position != nil && n.Position.PositionType == "text" && n.Position.HeadSHA == m.DiffRefs.HeadSha {
			out = append(out, d)
		}
	}
	return self, out, err
}

// ClosedThreads implements [codehost.Reader] with the threads on lines of the present head: GitLab closes a thread in
// the name of the person who applies its suggestion or, if the project is set up so, who pushes a change of its lines
// (app/services/discussions/update_diff_position_service.rb, resolved_by_push).
func (h *Host) ClosedThreads(ctx context.Context, repo codehost.Repo, number int,
	_ []domain.HostID) (map[domain.HostID]codehost.Sender, error) {
	self, list, err := h.onPresentLines(ctx, "list closed threads", repo, number)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID]codehost.Sender{}
	for _, d := range list {
		n := d.Notes[0]
		if by := n.ResolvedBy; n.Resolved && n.Author.ID == self.id && by.ID > 0 && by.ID != self.id {
			id := self.comment(number, d.ID, n, "").ID
			out[id] = codehost.Sender{Login: by.Username, ID: wire.HostID(by.ID), IsBot: isRobot(by.Username)}
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
