package gitlab

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Threads implements [codehost.Reader]. A push moves the notes on lines that it left
// as they were to the new head; one that stands on an older head is outdated
// (app/services/discussions/update_diff_position_service.rb of gitlab-org/gitlab).
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Thread, error) {
	const op = "list threads"
	m, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	self, err := h.self(ctx)
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
		side, first, last := placeOf(n.Position)
		if last <= 0 {
			continue
		}
		t := codehost.Thread{Path: n.Position.NewPath, Side: side, StartLine: first, Line: last, Author: n.Author.Username, Mine: n.Author.ID == self.id, Body: n.Body}
		t.Bot = t.Mine || isRobot(t.Author)
		if side == string(domain.Left) {
			t.Path = n.Position.OldPath
		}
		out = append(out, t)
	}
	return out, nil
}
