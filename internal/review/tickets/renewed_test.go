package tickets_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// renew removes the link and creates it again: the connection is off during one run.
func (w *world) renew() {
	w.Helper()
	old := w.link("PAY-1").ID
	w.connection.Enabled = false
	w.update()
	w.read()
	w.connection.Enabled = true
	w.update()
	w.read()
	if w.link("PAY-1").ID == old {
		w.Fatal("the row is the same")
	}
}

// ends returns how the jobs of the link ended.
func (w *world) ends() string {
	w.Helper()
	rows, err := w.Store.JobsOf(bg, w.link("PAY-1").ID)
	testkit.OK(w, err)
	var out []string
	for _, j := range rows {
		out = append(out, string(j.State))
	}
	return strings.Join(out, " ")
}

// If a link has a new row, and its comment cannot be found among too many, the comment is not written a
// second time.
func TestARenewedLinkHasNoSecondComment(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		w.published("rerun:1")
		w.tracker.comments[0].marker, w.tracker.unsure = "beyond what is searched", true
		w.renew()
		w.published("rerun:2")
		testkit.Equal(w, "comments", len(w.tracker.comments), 1)
		testkit.Equal(w, "ends", w.ends(), "dead")
	})
}

// The same holds for a comment whose answer was lost a moment ago.
func TestALostCommentIsRememberedBeyondItsLink(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		w.tracker.before = 1
		w.published("rerun:1")
		w.renew()
		w.published("rerun:2")
		testkit.Equal(w, "sent", strings.Count(w.tracker.requests(), "comment PAY-1"), 1)
		testkit.Equal(w, "ends", w.ends(), "queued")
	})
}

// A comment that the tracker accepted and that a person deleted is not written again, although the row
// that recorded it is gone.
func TestADeletedCommentIsNotRepeatedForARenewedLink(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		w.read()
		w.published("rerun:1")
		raw(`UPDATE write_attempts SET started_us = started_us - 3600000000, finished_us = finished_us - 3600000000`)
		w.tracker.comments[0].key = ""
		w.renew()
		w.published("rerun:2")
		testkit.Equal(w, "comments", len(w.tracker.comments), 1)
		if l := w.link("PAY-1"); l.Written == "" || l.CommentID != "" {
			w.Errorf("%+v", l)
		}
	})
}
