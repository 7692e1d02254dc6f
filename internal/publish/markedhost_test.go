package publish_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// markedHost is a host in memory that can prepare nothing unseen. Its operations have the same names as those of
// [host], and "read" reads a comment by its id.
type markedHost struct{ *noteHost }

func (h markedHost) Capabilities() codehost.Capabilities {
	return codehost.CapabilitiesOf(domain.BitbucketCloud)
}

func (h markedHost) CreateNote(ctx context.Context, _ codehost.Repo, _ int, _ string, d codehost.DraftComment) (out codehost.Comment, err error) {
	err = h.do("create", func() error {
		h.effects["create"]++
		h.id++
		out = codehost.Comment{ID: domain.NumberID(h.id), Path: d.Path, Side: d.Side, Line: d.Line, Body: d.Body.String(), URL: "https://host.example/note", Mine: true}
		if !h.hollow {
			h.visible = append(h.visible, out)
		}
		return nil
	})
	if codehost.ClassOf(err) == codehost.ClassForbidden && statusOf(err) == http.StatusUnauthorized {
		codehost.StoreReceipt(ctx, http.StatusUnauthorized, "")
	}
	return out, err
}

func (h markedHost) Note(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) (out codehost.Comment, err error) {
	err = h.do("read", func() error {
		i := h.index(id)
		if i < 0 {
			return fail(codehost.ClassNotFound, "read")
		}
		out = h.visible[i]
		return nil
	})
	return out, err
}

func (h markedHost) DeleteNote(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) error {
	return h.do("delete", func() error {
		i := h.index(id)
		if i >= 0 && !h.visible[i].Mine {
			return fail(codehost.ClassInvalid, "delete")
		}
		h.erase(id)
		return nil
	})
}

func (h *noteHost) index(id domain.HostID) int {
	return slices.IndexFunc(h.visible, func(c codehost.Comment) bool { return c.ID == id })
}

// erase deletes a visible comment, as a person would.
func (h *noteHost) erase(id domain.HostID) {
	h.visible = slices.DeleteFunc(h.visible, func(c codehost.Comment) bool { return c.ID == id })
}

// newMarked returns a fixture whose host can prepare nothing unseen.
func newMarked(t *testing.T, s *store.Store) *fixture {
	t.Helper()
	f := newNotes(t, s)
	f.marked = true
	return f
}

// janitor deletes twins, and checks that exactly these comments remain.
func (f *fixture) janitor(shown string) {
	f.t.Helper()
	f.host.point = nil
	for range 2 {
		testkit.OK(f.t, f.publisher().Clean(bg, f.run, f.at(), repo))
		testkit.Require(f.t, "visible after the janitor", f.shown(), shown)
	}
}

// marksOnce checks that the publication is over, that after the janitor each comment is visible once, and that the
// rows name the visible comments.
func (f *fixture) marksOnce() {
	f.t.Helper()
	f.over(domain.RunCompleted, domain.PhasePublished, "")
	f.janitor(allShown)
	pub := f.publication()
	rows, err := f.store.NotesOf(bg, f.world.Tenant, pub.ID)
	testkit.OK(f.t, err)
	for i, row := range rows {
		testkit.Equal(f.t, "row", row.Phase, domain.NoteVisible)
		testkit.Equal(f.t, "comment of the row", row.Draft, f.notes.visible[i].ID)
	}
	testkit.Equal(f.t, "review", pub.ReviewID, f.notes.visible[len(f.notes.visible)-1].ID)
}
