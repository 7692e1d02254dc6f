package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// said returns status, conclusion and title of the check run of a run.
func said(f *reviewtest.Fixture, run string) string {
	c := f.Host.Check(run)
	return strings.TrimSpace(c.Status + " " + c.Conclusion + ": " + c.Title.String())
}

// shows waits until the check run of a run has the wanted text.
func shows(f *reviewtest.Fixture, run, want string) {
	f.T.Helper()
	testkit.Eventually(f.T, patience, func() (bool, string) { return said(f, run) == want, said(f, run) + ", want " + want })
}

// concluded waits until the check run of a run is concluded and returns its conclusion. An end that
// arrives while the check is being opened takes a few seconds longer.
func concluded(f *reviewtest.Fixture, run string) (conclusion string) {
	f.T.Helper()
	f.Until("the check run is concluded", func() bool {
		conclusion = f.Host.Check(run).Conclusion
		return conclusion != ""
	})
	return conclusion
}

const patience = 30 * time.Second

// A check run is open while its run is under way, and closed with it.
func TestACheckRunIsOpenWhileTheRunIs(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		began, release := f.Hold("a")
		d := f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		shows(f, d.RunID, "in_progress : Review under way")
		release()
		f.Settle()
		shows(f, d.RunID, "completed success: Nothing found")
		testkit.Equal(t, "made", f.Host.Wrote("new check"), 1)
		testkit.Equal(t, "updated", f.Host.Wrote("check"), 1)
	})
}

// A run that waits for another one of its pull request is shown as queued; the
// one before it ends by its own head.
func TestACheckRunOfARunThatWaits(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles = map[string]string{"writer": "write"}
		began, release := f.Hold("a")
		first := f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		second := f.Processed(reviewtest.Comment(1, "writer", "/assay review"))
		shows(f, second.RunID, "queued : Waits for its turn")
		release()
		for _, run := range []string{first.RunID, second.RunID} {
			shows(f, run, "completed success: Nothing found")
		}
		f.Settle()
		testkit.Equal(t, "made", f.Host.Wrote("new check"), 2)
	})
}

// While the write budget has no room to spare, only the end of a run is shown.
func TestACheckRunWaitsForRoom(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Busy(true)
		d := f.Deliver(f.Event("opened", "a"))
		shows(f, d.RunID, "completed success: Nothing found")
		testkit.Equal(t, "made", f.Host.Wrote("new check"), 1)
		testkit.Equal(t, "updated", f.Host.Wrote("check"), 0)
	})
}

// Errors of a check run never fail its run.
func TestACheckRunNeverFailsTheRun(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Fail("check", &codehost.Error{Class: codehost.ClassInvalid})
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
	})
}

// Silent policies and reviews that are off show nothing, however the run ends.
func TestNoCheckRunWhereNothingIsShown(t *testing.T) {
	for name, c := range map[string]struct{ policy, states string }{
		"silent": {`{"publishMode":"silent"}`, "completed"},
		"off":    {`{"enabled":false}`, "skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Policy(c.policy)
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, c.states)
				testkit.Equal(t, "writes", strings.Join(f.Host.Writes, ", "), "")
			})
		})
	}
}

// A check run that is open when the policy becomes silent is closed without mentioning findings. It fails only if an earlier
// review of the head blocks.
func TestACheckRunIsClosedWhenThePolicyBecomesSilent(t *testing.T) {
	for name, c := range map[string]struct{ line, conclusion, says string }{
		"blocked before": {reviewtest.SecretLine(), "failure", "An earlier review of this head"},
		"clean before":   {"", "neutral", "The policy of this repository"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Snapshots.Lines[storetest.SHA("a")] = c.line
				f.Host.Roles = map[string]string{"writer": "write"}
				began, release := f.Hold("a")
				f.Processed(f.Event("opened", "a"))
				reviewtest.Receive(t, began)
				second := f.Processed(reviewtest.Comment(1, "writer", "/assay review"))
				shows(f, second.RunID, "queued : Waits for its turn")
				f.Policy(`{"publishMode":"silent"}`)
				release()
				shows(f, second.RunID, "completed "+c.conclusion+": Nothing is shown here")
				if said := f.Host.Check(second.RunID).Summary.String(); !strings.Contains(said, c.says) {
					t.Errorf("the check says: %s", said)
				}
			})
		})
	}
}

// A head that was reviewed while the policy was silent gets a check from the sweep once the policy shows reviews.
func TestAHeadOfASilentReviewGetsItsCheckLater(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		f.Policy(`{"publishMode":"silent"}`)
		d := f.Deliver(f.Event("opened", "a"))
		testkit.Equal(t, "writes", len(f.Host.Writes), 0)
		f.Policy(`{"check":{"unreviewed":{"preset":"strict"}}}`)
		raw(`UPDATE review_runs SET finished_us = finished_us - 7200000000`)
		testkit.OK(t, f.Service.Runs.MendHead(bg, f.World.Tenant, f.Runs()[0].Repository, storetest.SHA("a"), domain.Unreviewed{Preset: domain.PresetStrict}))
		f.Settle()
		shows(f, d.RunID, "completed failure: Nothing is shown here")
	})
}

// A review under a silent policy does not unblock a head that an earlier review blocks, nor do later ends without a review.
func TestASilentReviewDoesNotUnblockAHead(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
		f.Deliver(f.Event("opened", "a"))
		f.Policy(`{"publishMode":"silent"}`)
		_, err := f.Service.Runs.Rerun(bg, f.Runs()[0], "silent", domain.Asker{})
		testkit.OK(t, err)
		f.Settle()
		f.Policy(`{"check":{"unreviewed":{"skipped":"pass"}}}`)
		raw(`UPDATE review_runs SET finished_us = finished_us - 7200000000`)
		testkit.OK(t, f.Service.Runs.MendHead(bg, f.World.Tenant, f.Runs()[0].Repository, storetest.SHA("a"), domain.Unreviewed{}))
		f.Settle()
		all := f.Runs()
		testkit.Require(t, "runs", len(all), 2)
		testkit.Equal(t, "the shown run", concluded(f, all[0].ID), "failure")
		testkit.Equal(t, "the silent run shows", f.Host.Check(all[1].ID).Title.String(), "")
	})
}

// A run that waits for a person, as older versions made them, keeps its check run open until a newer
// head takes its place.
func TestACheckRunWaitsForApproval(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		began, release := f.Hold("a")
		d := f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		moved, err := f.Store.MoveRun(bg, f.World.Tenant, d.RunID, store.RunMove{From: domain.RunRunning, To: domain.RunAwaitingApproval})
		testkit.OK(t, err)
		testkit.Require(t, "moved", moved, true)
		_, err = f.Store.Enqueue(bg, store.NewJob{Kind: domain.KindCheck, FairKey: f.World.Tenant.ID, Subject: d.RunID, Tenant: f.World.Tenant.ID, Dedup: "shown"})
		testkit.OK(t, err)
		release()
		shows(f, d.RunID, "in_progress : Waits for approval")
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "superseded completed")
		shows(f, d.RunID, "completed neutral: A newer head arrived")
	})
}

// An end without a review passes, unless a review of the same head blocks. A run that ends without a
// result does not unblock a head.
func TestAnEndWithoutAReviewDoesNotUnblockAHead(t *testing.T) {
	for name, c := range map[string]struct {
		line  string
		first string
		then  string
	}{
		"blocked before": {reviewtest.SecretLine(), "failure", "failure"},
		"clean before":   {"", "success", "neutral"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Snapshots.Lines[storetest.SHA("a")] = c.line
				f.Host.Roles = map[string]string{"writer": "write"}
				d := f.Deliver(f.Event("opened", "a"))
				testkit.Equal(t, "first", concluded(f, d.RunID), c.first)
				began, release := f.Hold("a")
				again := f.Processed(reviewtest.Comment(1, "writer", "/assay review"))
				reviewtest.Receive(t, began)
				f.Processed(f.Event("closed", "a"))
				release()
				f.Settle()
				testkit.Equal(t, "then", concluded(f, again.RunID), c.then)
			})
		})
	}
}

// The policy decides the conclusion of an end without a review: here of a failed run, a skipped run, a contribution
// from outside and a cancelled run. The text says that the policy blocks, and does not say that nothing blocks.
func TestThePolicyDecidesTheCheckOfAnEndWithoutAReview(t *testing.T) {
	ends := map[string]func(f *reviewtest.Fixture, policy string) store.Delivery{
		"failed": func(f *reviewtest.Fixture, policy string) store.Delivery {
			f.Models.Set(func(int) (llm.Response, error) { return llm.Response{}, &llm.Error{Class: llm.ClassCredential} })
			f.Policy(policy)
			return f.Deliver(f.Event("opened", "a"))
		},
		"skipped": func(f *reviewtest.Fixture, policy string) store.Delivery {
			f.Policy(strings.Replace(policy, "{", `{"triggers":{"opened":false},`, 1))
			return f.Deliver(f.Event("opened", "a"))
		},
		"cancelled": func(f *reviewtest.Fixture, policy string) store.Delivery {
			f.Policy(policy)
			began, release := f.Hold("a")
			d := f.Processed(f.Event("opened", "a"))
			reviewtest.Receive(f.T, began)
			f.Processed(f.Event("closed", "a"))
			release()
			f.Settle()
			return d
		},
	}
	for end, play := range ends {
		for value, want := range map[string]string{"pass": "success", "neutral": "neutral", "fail": "failure", "strict": "failure"} {
			t.Run(end+" "+value, func(t *testing.T) {
				reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
					policy := `{"check":{"unreviewed":{"` + end + `":"` + value + `"}}}`
					if value == "strict" {
						policy = `{"check":{"unreviewed":{"preset":"strict"}}}`
					}
					d := play(f, policy)
					testkit.Equal(t, "conclusion", concluded(f, d.RunID), want)
					summary := f.Host.Check(d.RunID).Summary.String()
					testkit.Equal(t, "says that it blocks", strings.Contains(summary, "blocks the merge until"), want == "failure")
					if want == "failure" && strings.Contains(summary, "not blocked") {
						t.Errorf("the check fails and says: %s", summary)
					}
				})
			})
		}
	}
}

// After a change of the policy, the repair of the sweep changes the check of a head without a review, once.
func TestTheSweepAppliesTheChangedPolicyToAHeadWithoutAReview(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Models.Set(func(int) (llm.Response, error) { return llm.Response{}, &llm.Error{Class: llm.ClassCredential} })
		d := f.Deliver(f.Event("opened", "a"))
		testkit.Equal(t, "by default", concluded(f, d.RunID), "neutral")
		mend := func(u domain.Unreviewed) {
			testkit.OK(t, f.Service.Runs.MendHead(bg, f.World.Tenant, f.Runs()[0].Repository, storetest.SHA("a"), u))
			f.Settle()
		}
		mend(domain.Unreviewed{Preset: domain.PresetDefault})
		writes := len(f.Host.Writes)
		f.Policy(`{"check":{"unreviewed":{"preset":"strict"}}}`)
		mend(domain.Unreviewed{Preset: domain.PresetStrict})
		testkit.Equal(t, "strict", f.Host.Check(d.RunID).Conclusion, "failure")
		testkit.Equal(t, "writes", len(f.Host.Writes), writes+1)
	})
}

// An update that leaves a check run open may arrive after its conclusion. The job that sent it, or the
// worker that takes the job over, concludes the check run again.
func TestACheckRunThatWasOpenedAgainIsClosed(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		d := f.Deliver(f.Event("opened", "a"))
		id, _, err := f.Store.BeginWrite(bg, f.World.Tenant, store.WriteAttempt{SubjectKind: "reflect", SubjectID: d.RunID, Verb: "update open check run"})
		testkit.OK(t, err)
		testkit.OK(t, f.Store.EndWrite(bg, id, store.WriteEnd{Outcome: "ambiguous"}))
		open := f.Host.Check(d.RunID)
		open.Status, open.Conclusion = "in_progress", ""
		testkit.OK(t, f.Host.UpdateCheck(bg, codehost.Repo{}, "1", open))
		_, err = f.Store.Enqueue(bg, store.NewJob{Kind: domain.KindCheck, Subject: d.RunID, Tenant: f.World.Tenant.ID})
		testkit.OK(t, err)
		f.Settle()
		shows(f, d.RunID, "completed success: Nothing found")
	})
}

// A failed run says why in sentences, and that it blocks nothing.
func TestAFailedRunSaysWhy(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Models.Set(func(int) (llm.Response, error) {
			return llm.Response{}, &llm.Error{Class: llm.ClassCredential, ProviderMessage: "no answer in time."}
		})
		d := f.Deliver(f.Event("opened", "a"))
		shows(f, d.RunID, "completed neutral: The review failed")
		for _, want := range []string{"This head was not reviewed. No model answered", "The reason: no answer in time.\n", "Merging is not blocked", `"Re-run"`} {
			if text := f.Host.Check(d.RunID).Summary.String(); !strings.Contains(text, want) || strings.Contains(text, "..") {
				t.Errorf("the summary lacks %q, or has two periods: %q", want, text)
			}
		}
	})
}

// A draft of another account in the only slot is described in a sentence wherever people read the
// reason.
func TestAForeignDraftIsSaidInWords(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		ev := f.Event("opened", "a")
		_, err := f.Host.CreateDraft(bg, codehost.Repo{}, 1, codehost.Draft{Body: markdown.Const("a person's")})
		testkit.OK(t, err)
		d := f.Deliver(ev)
		f.Want(d, domain.DispositionRun, "failed")
		for _, text := range []string{f.Host.Check(d.RunID).Summary.String(), f.Runs()[0].Reason} {
			if strings.Contains(text, "slot_busy") || !strings.Contains(text, domain.EndSlotBusy.Words()) {
				t.Errorf("people read %q", text)
			}
		}
	})
}
