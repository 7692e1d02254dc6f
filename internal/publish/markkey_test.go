package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// marks returns the marker of a process with these keys, newest first.
func marks(t *testing.T, names ...string) marker.Marker {
	t.Helper()
	var keys []secret.KeyMAC
	for _, n := range names {
		keys = append(keys, secret.KeyMAC{Key: n, Sum: []byte("the instance key " + n)})
	}
	m, err := marker.New(keys...)
	testkit.OK(t, err)
	return m
}

// If a newer instance key arrives while a review is being published, the review is still visible once, with
// the marks of the key with which it began.
func TestANewerKeyComesFirstAtAnyPoint(t *testing.T) {
	t.Parallel()
	for name, protocol := range map[string]struct {
		make func(*testing.T, *store.Store) *fixture
		end  func(*fixture)
	}{
		"draft first":  {newFixture, func(f *fixture) { f.finish(); f.published() }},
		"note by note": {newNotes, func(f *fixture) { f.completeNotes(); f.whole() }},
		"one write":    {newDirect, (*fixture).complete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.SQLite(t)
			for n := 1; ; n++ {
				f := protocol.make(t, s)
				f.mark = marks(t, "old")
				f.host.crashAt(n)
				p := two()
				if name == "draft first" {
					p = payload("the body")
				}
				if _, died := f.attempt(p); !died {
					break
				}
				f.mark = marks(t, "new", "old")
				protocol.end(f)
				pub := f.publication()
				if pub.MarkKey != "old" && pub.MarkKey != "new" || n > 3 && pub.MarkKey != "old" {
					t.Errorf("died at point %d: marked with %q", n, pub.MarkKey)
				}
				only := marks(t, pub.MarkKey)
				body := ""
				if f.notes != nil {
					body = f.notes.visible[len(f.notes.visible)-1].Body
				} else {
					body = f.host.shown().Body
				}
				if got, ok := only.FindPublication(publish.Place(f.run), body); !ok || got.ID != pub.ID {
					t.Errorf("died at point %d: the review does not have a mark of %q: %s", n, pub.MarkKey, body)
				}
			}
		})
	}
}

// A key that was removed too early causes an error that names it, and nothing is sent.
func TestAKeyThatWasRemovedTooEarly(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	f := newFixture(t, s)
	f.mark = marks(t, "old")
	f.host.crashAt(3) // after the payload is frozen and before a request is sent
	_, died := f.attempt(payload("the body"))
	testkit.Equal(t, "died", died, true)
	testkit.Equal(t, "marked with", f.publication().MarkKey, "old")
	f.host.point, f.mark = nil, marks(t, "new")
	if err, _ := f.attempt(payload("the body")); err == nil || !strings.Contains(err.Error(), "instance key old") {
		t.Errorf("got %v", err)
	}
	visible, drafts := f.host.count()
	testkit.Equal(t, "visible, drafts", fmt.Sprint(visible, drafts), "0 0")
	f.mark = marks(t, "new", "old")
	f.finish()
	f.published()
}
