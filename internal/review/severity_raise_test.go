package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The line of the defect was edited, and the defect stays.
var (
	dividesMore = strings.Replace(divides, "len(items)", "len(items) * 2", 1)
	editedLine  = report{"\treturn total / len(items) * 2", "division-by-zero", "", "", false}
)

// thread is the spot below the first comment of a history.
func (h *history) thread() codehost.Spot {
	return codehost.Spot{Number: h.Runs()[0].Number, Thread: h.Host.Comments[0].ID}
}

// If the code of an open finding has changed and it is reported as more severe, its thread gets a
// reply. Otherwise the thread gets none.
func TestASeverityThatRose(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after string
		text          string // of the second head
		report        report
		replies       int
		severity      domain.Severity // at the end
	}{
		"it rose":                    {"medium", "critical", dividesMore, editedLine, 1, domain.Critical},
		"it fell":                    {"high", "medium", dividesMore, editedLine, 0, domain.High},
		"it is as it was":            {"high", "high", dividesMore, editedLine, 0, domain.High},
		"it rose on the same code":   {"medium", "high", divides, division, 0, domain.Medium},
		"it rose beside a new place": {"medium", "high", divides + "\nfunc Nothing() {}\n", division, 0, domain.Medium},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.calls(tt.before)
				h.push("a", divides, division)
				body := f.Host.Comments[0].Body
				h.calls(tt.after)
				h.push("b", tt.text, tt.report)
				known := h.known()
				testkit.Require(t, "findings", len(known), 1)
				testkit.Equal(t, "severity", known[0].Severity, tt.severity)
				testkit.Equal(t, "comments", len(f.Host.Comments), 1)
				testkit.Equal(t, "the comment", f.Host.Comments[0].Body, body)
				said := f.Host.Said(h.thread())
				testkit.Require(t, "replies", len(said), tt.replies)
				if tt.replies > 0 {
					want := "In `" + storetest.SHA("b")[:7] + "` this has become more serious: **Critical**, before Medium.\n\n<!-- assay:ans="
					if !strings.HasPrefix(said[0].Body, want) {
						t.Errorf("reply: %s", said[0].Body)
					}
				}
				h.push("c", tt.text+"\nfunc Other() {}\n", tt.report)
				h.rerun(tt.report)
				testkit.Equal(t, "replies in the end", len(f.Host.Said(h.thread())), tt.replies)
			})
		})
	}
}

// A higher severity that the verifier does not confirm is not reported.
func TestAnUnconfirmedRiseOfSeverity(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.calls("medium")
		h.push("a", divides, division)
		h.calls("high")
		h.mu.Lock()
		h.silent = true
		h.mu.Unlock()
		h.push("b", dividesMore, editedLine)
		testkit.Equal(t, "severity", h.known()[0].Severity, domain.Medium)
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
		testkit.Equal(t, "replies", len(f.Host.Sent()), 0)
	})
}

// If the answer to a reply is lost, or its worker dies, the reply is searched for before it is written
// again.
func TestARiseOfSeverityIsReportedOnce(t *testing.T) {
	lost := &codehost.Error{Class: codehost.ClassAmbiguous}
	for name, tt := range map[string]struct {
		op   string // the operation that fails once
		lag  bool   // the list does not show it at first
		sent int
	}{
		"said":                {"reply", false, 1},
		"said, the list lags": {"reply", true, 1},
		"not said":            {"lost reply", false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				t.Parallel()
				f := reviewtest.NewFixture(t, s)
				h := newHistory(f)
				h.calls("medium")
				h.push("a", divides, division)
				h.calls("high")
				f.Host.Lag = tt.lag
				f.Host.Fail(tt.op, lost)
				h.prepare("b", dividesMore, editedLine)
				f.Send(f.Event("synchronize", "b"))
				job := func() store.Job {
					runs := f.Runs()
					return f.Job(runs[len(runs)-1].ID, domain.KindReflect)
				}
				f.Until("the reply is sent", func() bool { return len(f.Host.Sent()) == 1 && job().LastError != "" })
				f.Stop()
				f.Host.Fail(tt.op, nil)
				f.Host.Lag = false
				raw(`UPDATE write_attempts SET started_us = started_us - 60000000, finished_us = finished_us - 60000000`) // a minute passes
				raw(`UPDATE jobs SET run_us = 0 WHERE state = 'queued'`)
				f.Start()
				f.Until("the run is shown", func() bool { return job().State == domain.JobDone })
				testkit.Equal(t, "sent", len(f.Host.Sent()), tt.sent)
				testkit.Equal(t, "replies", len(f.Host.Said(h.thread())), 1)
			})
		})
	}
}

// A reply that the host refuses, or that is no longer needed, does not keep a check run open.
func TestARiseOfSeverityThatIsNotReported(t *testing.T) {
	for name, tt := range map[string]struct {
		err     error // of every reply
		dismiss bool  // while the reply is pending
	}{
		"the thread is gone": {err: &codehost.Error{Class: codehost.ClassNotFound}},
		"it is forbidden":    {err: &codehost.Error{Class: codehost.ClassForbidden}},
		"it is invalid":      {err: &codehost.Error{Class: codehost.ClassInvalid}},
		"it is too large":    {err: &codehost.Error{Class: codehost.ClassTooLarge}},
		"it is dismissed":    {err: &codehost.Error{Class: codehost.ClassSlotTaken}, dismiss: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				t.Parallel()
				f := reviewtest.NewFixture(t, s)
				h := newHistory(f)
				h.calls("medium")
				h.push("a", divides, division)
				h.calls("high")
				f.Host.Fail("lost reply", tt.err)
				h.prepare("b", dividesMore, editedLine)
				f.Send(f.Event("synchronize", "b"))
				job := func() store.Job {
					runs := f.Runs()
					return f.Job(runs[len(runs)-1].ID, domain.KindReflect)
				}
				f.Until("the reply is refused", func() bool {
					return len(f.Host.Sent()) == 1 && (job().State == domain.JobDone || job().LastError != "")
				})
				testkit.Equal(t, "conclusion", h.conclusion(), "neutral")
				if tt.dismiss {
					f.Stop()
					run := f.Runs()[0]
					testkit.OK(t, f.Store.SetFindingState(bg, h.World.Tenant, run.PullRequest, run.ID, []string{h.known()[0].ID}, domain.FindingDismissed))
					raw(`UPDATE jobs SET run_us = 0 WHERE state = 'queued'`)
					f.Start()
					f.Until("the run is shown", func() bool { return job().State == domain.JobDone })
				}
				testkit.Equal(t, "state of the job", job().State, domain.JobDone)
				testkit.Equal(t, "sent", len(f.Host.Sent()), 1)
				testkit.Equal(t, "replies", len(f.Host.Said(h.thread())), 0)
			})
		})
	}
}

// If a run with a higher severity was never published, the next run reports it.
func TestARiseOfAnAbandonedReview(t *testing.T) {
	for name, text := range map[string]string{
		"the same code":      dividesMore,
		"beside other lines": dividesMore + "\nfunc Other() {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Stop()
				f.Settings.Attempts, f.Settings.BackoffFirst, f.Settings.BackoffMax = 2, time.Millisecond, time.Millisecond
				f.Start()
				h := newHistory(f)
				h.calls("medium")
				h.push("a", divides, division)
				h.calls("critical")
				f.Host.Fail("create", &codehost.Error{Class: codehost.ClassUnavailable})
				h.prepare("b", dividesMore, editedLine)
				f.Deliver(f.Event("synchronize", "b"))
				f.Until("the review is abandoned", func() bool { return f.States() == "completed failed" })
				f.Settle()
				testkit.Equal(t, "replies of the abandoned review", len(f.Host.Sent()), 0)
				testkit.Equal(t, "severity", h.known()[0].Severity, domain.Critical)
				f.Host.Fail("create", nil)
				for _, head := range []string{"c", "d"} {
					h.prepare(head, text, editedLine)
					f.Deliver(f.Event("synchronize", head))
					said := f.Host.Said(h.thread())
					testkit.Require(t, "replies at "+head, len(said), 1)
					if want := "In `" + storetest.SHA("c")[:7] + "` this has become more serious: **Critical**, before Medium."; !strings.HasPrefix(said[0].Body, want) {
						t.Errorf("reply: %s", said[0].Body)
					}
				}
				testkit.Equal(t, "runs", f.States(), "completed failed completed completed")
			})
		})
	}
}
