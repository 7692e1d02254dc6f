package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An edit is lost if its answer is, or if it has no end for longer than a request takes. A successful
// edit of the same target settles it when the host can no longer apply the lost one.
func TestLostEdit(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		begin := func(verb string) string {
			id, held, err := s.BeginWrite(bg, tenant, store.WriteAttempt{SubjectKind: "reflect", SubjectID: "run_1", Verb: verb, Target: "1"})
			testkit.OK(t, err)
			testkit.Equal(t, "held", held, true)
			return id
		}
		lost := func() string {
			id, _, err := s.LostEdit(bg, tenant, "reflect", "run_1", time.Minute)
			testkit.OK(t, err)
			return id
		}
		ago := func(id string, age time.Duration) {
			raw(t, s, `UPDATE write_attempts SET started_us = started_us - $2, finished_us = finished_us - $2 WHERE id = $1`, id, age.Microseconds())
		}
		testkit.Equal(t, "without an edit", lost(), "")
		edit := begin("edit review")
		testkit.Equal(t, "while it is made", lost(), "")
		ago(edit, time.Hour)
		testkit.Equal(t, "after a worker was killed", lost(), edit)
		testkit.OK(t, s.EndWrite(bg, edit, store.WriteEnd{Outcome: "ok"}))
		testkit.Equal(t, "after its end", lost(), "")

		edit = begin("update check")
		testkit.OK(t, s.EndWrite(bg, edit, store.WriteEnd{Outcome: "ambiguous"}))
		testkit.Equal(t, "without an answer", lost(), edit)
		again := begin("update check")
		testkit.OK(t, s.EndWrite(bg, again, store.WriteEnd{Outcome: "ok"}))
		testkit.Equal(t, "after a good edit at once", lost(), edit)
		ago(edit, time.Hour)
		testkit.Equal(t, "after a good edit an hour later", lost(), "")
		testkit.OK(t, s.EndWrite(bg, begin("create review"), store.WriteEnd{Outcome: "ambiguous"}))
		testkit.Equal(t, "a write that is not an edit", lost(), "")
	})
}
