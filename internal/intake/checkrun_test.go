package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// rerequested returns the event of a person who presses "Re-run" on the check run of a run, with changes.
func rerequested(who string, r store.Run, change ...func(*codehost.Event)) codehost.Event {
	repo := reviewtest.Repository()
	ev := codehost.Event{Kind: codehost.KindCheck, Name: "check_run", Action: "rerequested", AppID: "7", Repository: &repo, Sender: codehost.Sender{Login: who, ID: "3"},
		Check: &codehost.EventCheckRun{ID: "1", Name: "assay", ExternalID: r.ID, HeadSHA: r.HeadSHA, Status: "completed", Conclusion: "neutral", AppID: "7"}}
	for _, c := range change {
		c(&ev)
	}
	return ev
}

// wholeSuite turns the event into "Re-run all checks".
func wholeSuite(ev *codehost.Event) {
	ev.Name, ev.Check.Suite, ev.Check.ExternalID, ev.Check.Name = "check_suite", true, "", ""
}

func TestRerunAndWhoMayPressIt(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles = map[string]string{"admin": "admin", "writer": "write", "triager": "triage", "reader": "read"}
		f.Deliver(f.Event("opened", "a"))
		first := f.Runs()[0]
		states := "completed"
		for _, c := range []struct {
			name   string
			ev     codehost.Event
			reason string // "" if a run is created
		}{
			{"writer", rerequested("writer", first), ""},
			{"admin, the whole suite", rerequested("admin", first, wholeSuite), ""},
			{"triager", rerequested("triager", first), "the person who asked has no permission to start a review"},
			{"reader", rerequested("reader", first), "the person who asked has no permission to start a review"},
			{"stranger, the whole suite", rerequested("stranger", first, wholeSuite), "the person who asked has no permission to start a review"},
			{"bot", rerequested("writer", first, func(ev *codehost.Event) { ev.Sender.IsBot = true }), "asked for by a bot"},
			{"completed", rerequested("writer", first, func(ev *codehost.Event) { ev.Action = "completed" }), "the check is ours"},
			{"another app's", rerequested("writer", first, func(ev *codehost.Event) { ev.Check.AppID = "8" }), "the check is another app's"},
			{"no run", rerequested("writer", first, func(ev *codehost.Event) { ev.Check.ExternalID = "run_none" }), "no run has this check"},
			{"a run of another head", rerequested("writer", first, func(ev *codehost.Event) { ev.Check.HeadSHA = storetest.SHA("z") }), "no run has this check"},
			{"a suite of a head without a run", rerequested("writer", first, wholeSuite, func(ev *codehost.Event) { ev.Check.HeadSHA = storetest.SHA("z") }), "no run has this check"},
		} {
			d := f.Deliver(c.ev)
			testkit.Equal(t, c.name, d.Reason, c.reason)
			if c.reason == "" {
				states += " completed"
				f.Want(d, domain.DispositionRun, states)
				made, err := f.Store.RunForWork(bg, d.RunID)
				testkit.OK(t, err)
				testkit.Equal(t, "asked by", made.Asker, domain.Asker{How: domain.AskedByRerun, Name: c.ev.Sender.Login})
				continue
			}
			f.Want(d, domain.DispositionIgnored, states)
		}
		for _, r := range f.Runs()[1:] {
			testkit.Equal(t, "asks for", r.TriggerEvent, run.EventRerun)
			testkit.Equal(t, "separate check run", f.Host.Check(r.ID).Conclusion, "success")
		}
		testkit.Equal(t, "check runs", f.Host.Wrote("new check"), 3)
	})
}

// "Re-run" joins a run of the head that is under way.
func TestRerunJoinsWhatIsUnderWay(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles = map[string]string{"writer": "write"}
		began, release := f.Hold("a")
		f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		d := f.Processed(rerequested("writer", f.Runs()[0]))
		f.Want(d, domain.DispositionCoalesced, "running")
		release()
		f.Settle()
		f.Want(d, domain.DispositionCoalesced, "completed")
	})
}

// If a run cannot be repeated, the answer says why and the check shows its former result again, because a
// host may have reset it when the button was pressed.
func TestRerunThatIsRefusedShowsTheEndAgain(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(f *reviewtest.Fixture)
		reason  string
	}{
		"closed":       {func(f *reviewtest.Fixture) { f.Deliver(f.Event("closed", "a")) }, "the pull request is not open"},
		"a newer head": {func(f *reviewtest.Fixture) { f.Deliver(f.Event("synchronize", "b")) }, "the pull request has a newer head"},
		"not allowed":  {func(f *reviewtest.Fixture) { f.Host.Roles = nil }, "the person who asked has no permission to start a review"},
		"off":          {func(f *reviewtest.Fixture) { f.Policy(`{"enabled":false}`) }, "reviews are off for this repository"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Host.Roles = map[string]string{"writer": "write"}
				f.Deliver(f.Event("opened", "a"))
				first := f.Runs()[0]
				c.prepare(f)
				runs := len(f.Runs())
				reset := f.Host.Check(first.ID)
				reset.Status, reset.Conclusion = "queued", ""
				testkit.OK(t, f.Host.UpdateCheck(t.Context(), codehost.Repo{}, "1", reset))
				d := f.Deliver(rerequested("writer", first))
				testkit.Equal(t, "reason", d.Reason, c.reason)
				testkit.Equal(t, "runs", len(f.Runs()), runs)
				testkit.Equal(t, "check", f.Host.Check(first.ID).Conclusion, "success")
			})
		})
	}
}
