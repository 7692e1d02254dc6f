package publish_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// newTogether returns a fixture whose host publishes all drafts of the account at once.
func newTogether(t *testing.T, s *store.Store) *fixture {
	t.Helper()
	f := newNotes(t, s)
	f.notes.together = true
	return f
}

// A host that publishes all drafts at once shows each comment once, also after a crash at any point.
func TestNotesTogetherAndACrashAtAnyPoint(t *testing.T) {
	s := storetest.SQLite(t)
	n, died := 0, true
	for died {
		n++
		f := newTogether(t, s)
		f.host.crashAt(n)
		_, died = f.attempt(two())
		f.host.point = nil
		if died {
			f.completeNotes()
		}
		f.whole()
	}
	if n < 20 {
		t.Fatalf("only %d points", n)
	}
}

// A draft that was requested twice is deleted before all drafts become visible.
func TestADraftThatIsThereTwiceStaysUnseen(t *testing.T) {
	f := newTogether(t, storetest.SQLite(t))
	f.notes.atSubmit = func() {
		f.notes.atSubmit = nil
		late := f.notes.drafts[0]
		late.ID = "977"
		f.notes.drafts = append(f.notes.drafts, late)
	}
	f.completeNotes()
	f.whole()
}

// A person's draft with the same account is never made visible: the run ends, and nothing of it is visible.
func TestADraftOfAPersonIsNotPublishedTogether(t *testing.T) {
	f := newTogether(t, storetest.SQLite(t))
	f.notes.drafts = append(f.notes.drafts, codehost.NoteDraft{ID: "978", Body: "mine"})
	f.completeNotes()
	f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonSlotBusy)
	testkit.Equal(t, "visible", f.shown(), "")
	testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
	testkit.Equal(t, "drafts left", len(f.notes.drafts), 1)
}
