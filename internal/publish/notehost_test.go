package publish_test

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// noteHost is a host in memory on which comments are drafted and published one by one. Its operations have
// the same names as those of [host].
type noteHost struct {
	*host
	drafts  []codehost.NoteDraft
	visible []codehost.Comment
	lists   int // number of lists of visible comments that stay empty

	together bool   // publishing one draft publishes all
	atSubmit func() // called before the look that precedes a submit; may be nil
}

// Hosts that publish comments and delete their drafts in two steps also have these outcomes.
const (
	draftKept outcome = "the comment made, the draft kept, an error"
	unmade    outcome = "no comment made, the draft gone, no error"
)

func (h *noteHost) Capabilities() codehost.Capabilities {
	if h.together {
		return codehost.CapabilitiesOf(domain.BitbucketDataCenter)
	}
	return codehost.CapabilitiesOf(domain.GitLab)
}

func (h *noteHost) DraftNote(_ context.Context, _ codehost.Repo, _ int, commit string, c codehost.DraftComment) (out codehost.NoteDraft, err error) {
	err = h.do("create", func() error {
		h.effects["create"]++
		h.id++
		out = codehost.NoteDraft{ID: domain.NumberID(h.id), Body: c.Body.String(), Path: c.Path, Side: c.Side, Line: c.Line}
		if c.Path != "" {
			out.Commit = commit
		}
		h.drafts = append(h.drafts, out)
		return nil
	})
	return out, err
}

func (h *noteHost) NoteDrafts(context.Context, codehost.Repo, int) (out []codehost.NoteDraft, err error) {
	if h.atSubmit != nil && len(h.drafts) == 3 {
		h.atSubmit()
	}
	err = h.do("list", func() error { out = slices.Clone(h.drafts); return nil })
	return out, err
}

func (h *noteHost) PublishNote(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) error {
	return h.do("submit", func() error {
		i := slices.IndexFunc(h.drafts, func(d codehost.NoteDraft) bool { return d.ID == id })
		if i < 0 {
			return fail(codehost.ClassNotFound, "submit")
		}
		h.effects["submit"]++
		if h.together {
			for _, d := range h.drafts {
				h.visible = append(h.visible, codehost.Comment{ID: d.ID, Path: d.Path, Line: d.Line, Body: d.Body, URL: "https://host.example/note", Mine: true})
			}
			h.drafts = nil
			return nil
		}
		h.id++
		d := h.drafts[i]
		if !h.keeps {
			h.drafts = slices.Delete(h.drafts, i, i+1)
		}
		if h.hollow {
			return nil
		}
		h.visible = append(h.visible, codehost.Comment{ID: domain.NumberID(h.id), Path: d.Path, Line: d.Line, Body: d.Body, URL: "https://host.example/note", Mine: true})
		return nil
	})
}

func (h *noteHost) EditNoteDraft(_ context.Context, _ codehost.Repo, _ int, id domain.HostID, body markdown.Text) error {
	return h.do("edit", func() error {
		i := slices.IndexFunc(h.drafts, func(d codehost.NoteDraft) bool { return d.ID == id })
		if i < 0 {
			return fail(codehost.ClassNotFound, "edit")
		}
		h.effects["edit"]++
		h.drafts[i].Body = body.String()
		return nil
	})
}

func (h *noteHost) DeleteNoteDraft(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) error {
	return h.do("delete", func() error {
		if h.take(id) {
			h.effects["delete"]++
		}
		return nil
	})
}

func (h *noteHost) Notes(context.Context, codehost.Repo, int) (out []codehost.Comment, err error) {
	err = h.do("comments", func() error {
		if h.lists > 0 {
			h.lists--
			return nil
		}
		out = slices.Clone(h.visible)
		return nil
	})
	return out, err
}

// take deletes a draft, as a person would.
func (h *noteHost) take(id domain.HostID) bool {
	before := len(h.drafts)
	h.drafts = slices.DeleteFunc(h.drafts, func(d codehost.NoteDraft) bool { return d.ID == id })
	return len(h.drafts) < before
}
