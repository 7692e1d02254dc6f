package reviewtest

import (
	"context"
	"maps"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// edit makes an edit. If its operation fails with class ambiguous, it keeps the edit for [Host.ApplyLate].
// The caller holds the lock.
func (h *Host) edit(op string, apply func()) error {
	if err := h.failed(op); err != nil {
		if codehost.ClassOf(err) == codehost.ClassAmbiguous {
			h.late = append(h.late, apply)
		}
		return err
	}
	apply()
	h.Writes = append(h.Writes, op)
	return nil
}

// ApplyLate applies the edits whose answers were lost, over later writes, and returns their number.
func (h *Host) ApplyLate() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.late)
	for _, apply := range h.late {
		apply()
	}
	h.late = nil
	return n
}

// Lost returns how many edits wait for [Host.ApplyLate].
func (h *Host) Lost() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.late)
}

// ReviewComments implements [codehost.Host].
func (h *Host) ReviewComments(_ context.Context, _ codehost.Repo, _ int, review domain.HostID) (out []codehost.Comment, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.Comments {
		if c.Review == review {
			out = append(out, c)
		}
	}
	return out, nil
}

// ClosedThreads implements [codehost.Host].
func (h *Host) ClosedThreads(context.Context, codehost.Repo, int, []domain.HostID) (map[domain.HostID]codehost.Sender, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("closed threads"); err != nil {
		return nil, err
	}
	return maps.Clone(h.Closed), nil
}

// EditComment implements [codehost.Host].
func (h *Host) EditComment(_ context.Context, _ codehost.Repo, id domain.HostID, body markdown.Text) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.edit("edit comment", func() {
		for i := range h.Comments {
			if h.Comments[i].ID == id {
				h.Comments[i].Body = body.String()
			}
		}
	})
}
