package reviewtest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Said is a comment that the service wrote at the spot of a person's comment.
type Said struct {
	At   codehost.Spot
	ID   domain.HostID
	Body string
}

// Said lists the service's comments at a spot, oldest first.
func (h *Host) Said(at codehost.Spot) (out []Said) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.said {
		if s.At == at {
			out = append(out, s)
		}
	}
	return out
}

// Sent lists the bodies of the replies that were sent, applied or not, oldest first.
func (h *Host) Sent() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.sent)
}

// Reply implements [codehost.Host]. A reply that fails with class ambiguous is still applied; one that
// fails as "lost reply" is not.
func (h *Host) Reply(_ context.Context, _ codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Writes, h.sent = append(h.Writes, "reply"), append(h.sent, body.String())
	if err := h.failed("lost reply"); err != nil {
		return codehost.Comment{}, err
	}
	err := h.failed("reply")
	if err != nil && codehost.ClassOf(err) != codehost.ClassAmbiguous {
		return codehost.Comment{}, err
	}
	id := h.fresh()
	h.said = append(h.said, Said{At: at, ID: id, Body: body.String()})
	if err != nil {
		return codehost.Comment{}, err
	}
	return codehost.Comment{ID: id, Body: body.String(), Mine: true}, nil
}

// Replies implements [codehost.Host]; [Host.Lag] hides existing replies. Before each reply it lists a
// person's copy of it.
func (h *Host) Replies(_ context.Context, _ codehost.Repo, at codehost.Spot, _ time.Time) ([]codehost.Comment, error) {
	said := h.Said(at)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("replies"); err != nil || h.Lag {
		return nil, err
	}
	var out []codehost.Comment
	for _, s := range slices.Backward(said) {
		out = append(out, codehost.Comment{ID: "copy of " + s.ID, Body: s.Body}, codehost.Comment{ID: s.ID, Body: s.Body, Mine: true})
	}
	return out, nil
}

// SetResolved implements [codehost.Resolver]; see [Host.Fail].
func (h *Host) SetResolved(_ context.Context, _ codehost.Repo, _ int, comment domain.HostID, resolved bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("resolve"); err != nil {
		return err
	}
	h.Writes = append(h.Writes, fmt.Sprint("resolved ", resolved))
	for i := range h.Comments {
		if h.Comments[i].ID == comment {
			h.Comments[i].Open = !resolved
		}
	}
	return nil
}

// EditReply implements [codehost.Host]; see [Host.Fail].
func (h *Host) EditReply(_ context.Context, _ codehost.Repo, _ codehost.Spot, id domain.HostID, body markdown.Text) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.failed("edit reply")
	if err != nil && codehost.ClassOf(err) != codehost.ClassAmbiguous {
		return err
	}
	h.Writes = append(h.Writes, "edit reply")
	for i := range h.said {
		if h.said[i].ID == id {
			h.said[i].Body = body.String()
			return err
		}
	}
	return &codehost.Error{Class: codehost.ClassNotFound, Op: "edit reply"}
}
