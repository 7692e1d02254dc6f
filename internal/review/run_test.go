package review_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

var errDown = &llm.Error{Class: llm.ClassRetryable, Status: 503, ProviderMessage: "overloaded"}

func down(int) (llm.Response, error) { return llm.Response{}, errDown }

func TestAModelThatIsDownOnlyDelays(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Models.Set(down)
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "running")
		j := f.Job(d.RunID, domain.KindReview)
		testkit.Equal(t, "state", j.State, domain.JobQueued)
		testkit.Equal(t, "attempts", j.Attempts, 0)
		if !strings.HasPrefix(j.LastError, "waiting: the model does not answer") || j.RunUS <= j.NowUS {
			t.Fatalf("job: %+v", j)
		}
		f.Models.Set(reviewtest.SilentModel)
		f.Until("the review is published", func() bool { return f.States() == "completed" })
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
	})
}

func TestAModelThatStaysDown(t *testing.T) {
	t.Run("with a deterministic finding", func(t *testing.T) {
		reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
			f.Service.Window = time.Millisecond
			f.Models.Set(down)
			f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
			f.Deliver(f.Event("opened", "a"))
			f.Until("the run ends", func() bool { return f.States() == "completed" })
			f.Settle()
			body := f.Host.Visible()[0]
			if !strings.Contains(strings.ToLower(body), "unavailable") && !strings.Contains(strings.ToLower(body), "deterministic") {
				t.Fatalf("the review does not say that the model was away: %s", body)
			}
			run := f.Runs()[0]
			testkit.Equal(t, "model", run.ModelState, "unavailable")
			if got := concluded(f, run.ID); got == "success" {
				t.Fatalf("check: %s", got)
			}
		})
	})
	t.Run("with nothing found", func(t *testing.T) {
		reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
			f.Service.Window = time.Millisecond
			f.Models.Set(down)
			f.Deliver(f.Event("opened", "a"))
			f.Until("the run ends", func() bool { return f.States() == "failed" })
			f.Settle()
			testkit.Require(t, "visible reviews", len(f.Host.Visible()), 0)
			run := f.Runs()[0]
			concluded(f, run.ID)
			c := f.Host.Check(run.ID)
			if c.Conclusion != "neutral" || c.Title.String() != "The review failed" || !strings.Contains(c.Summary.String(), "No model answered") {
				t.Fatalf("check: %+v", c)
			}
			f.Models.Set(reviewtest.SilentModel)
			f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "failed completed")
		})
	})
}

func TestTheWindowStartsOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Models.Set(down)
		f.Deliver(f.Event("opened", "a"))
		first := f.Runs()[0].ModelDeadlineUS
		left, err := f.Store.StartModelWindow(bg, f.World.Tenant, f.Runs()[0].ID, 48*time.Hour)
		testkit.OK(t, err)
		if left > 10*time.Minute || f.Runs()[0].ModelDeadlineUS != first {
			t.Fatalf("the window moved: %v left", left)
		}
	})
}

func TestErrorsOfTheModelThatDoNotPass(t *testing.T) {
	for name, c := range map[string]struct {
		err    *llm.Error
		secret bool
		state  string
		reason string // of the run
		told   string // text of the check run if it has failed
	}{
		"rejected effort":                 {&llm.Error{Class: llm.ClassEffort, Status: 400, ProviderMessage: "xhigh is not known here"}, true, "failed", "the model provider rejected the reasoning effort: xhigh is not known here", "xhigh is not known here"},
		"refused key, nothing found":      {&llm.Error{Class: llm.ClassCredential, Status: 401, ProviderMessage: "bad key"}, false, "failed", "the model was unavailable", "No model answered"},
		"refused key, something is found": {&llm.Error{Class: llm.ClassCredential, Status: 401, ProviderMessage: "bad key"}, true, "completed", "", ""},
		"no credit":                       {&llm.Error{Class: llm.ClassQuota, Status: 402}, false, "failed", "the model was unavailable", "No model answered"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Models.Set(func(int) (llm.Response, error) { return llm.Response{}, c.err })
				if c.secret {
					f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
				}
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, c.state)
				if run := f.Runs()[0]; !strings.HasPrefix(run.Reason, c.reason) {
					t.Fatalf("reason: %s", run.Reason)
				}
				if c.state == "failed" {
					testkit.Eventually(t, time.Minute, func() (bool, string) { // an end that meets the making of its check run waits for the host's list
						got := f.Host.Check(f.Runs()[0].ID).Summary.String()
						return strings.Contains(got, c.told), "check: " + got
					})
				}
				f.Models.Set(reviewtest.SilentModel)
				f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, c.state+" completed")
			})
		})
	}
}

func TestAHeadThatCrashesItsWorkersIsQuarantined(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Stop()
		f.Settings.Crashes = 1
		ev := f.Event("opened", "a")
		f.Send(ev)
		// A worker takes the delivery. Another one takes the run and dies with it.
		f.Start()
		began, _ := f.Hold("a")
		reviewtest.Receive(t, began)
		run := f.Runs()[0]
		j := f.Job(run.ID, domain.KindReview)
		held, err := f.Store.ExtendClaim(bg, j.ID, j.Gen, -time.Second, "review: generate")
		testkit.OK(t, err)
		testkit.Equal(t, "held", held, true)
		f.Until("the run is given up", func() bool { // its own heartbeat may come before the sweep
			_, err := f.Store.ExtendClaim(bg, j.ID, j.Gen, -time.Second, "review: generate")
			testkit.OK(t, err)
			return f.States() == "failed"
		})
		if reason := f.Runs()[0].Reason; !strings.HasPrefix(reason, "crashed: the worker stopped in stage") {
			t.Fatalf("reason: %s", reason)
		}
		f.Settle()
		d := f.Deliver(f.Event("reopened", "a"))
		f.Want(d, domain.DispositionIgnored, "failed")
		testkit.Equal(t, "names the run", d.RunID, run.ID)
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "failed completed")
	})
}

func TestModesOfPublishing(t *testing.T) {
	t.Run("silent writes nothing", func(t *testing.T) {
		reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
			f.Policy(`{"publishMode":"silent"}`)
			f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
			d := f.Deliver(f.Event("opened", "a"))
			f.Want(d, domain.DispositionRun, "completed")
			testkit.Equal(t, "writes", fmt.Sprint(f.Host.Writes), "[]")
			pub, err := f.Store.PublicationOf(bg, f.World.Tenant, d.RunID)
			testkit.OK(t, err)
			testkit.Equal(t, "kind", pub.Kind, publish.KindNone)
			found, err := f.Store.RunFindings(bg, f.World.Tenant, d.RunID)
			testkit.OK(t, err)
			testkit.Require(t, "findings", len(found), 1)
			f.Policy(`{"publishMode":"auto"}`) // a finding that was never shown is still new
			f.Snapshots.Lines[storetest.SHA("b")] = reviewtest.SecretLine()
			f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
			testkit.Require(t, "inline comments", len(f.Host.Comments), 1)
		})
	})
	t.Run("summary only has no inline comments", func(t *testing.T) {
		reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
			f.Policy(`{"publishMode":"summary-only"}`)
			f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
			f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
			testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
			testkit.Require(t, "inline comments", len(f.Host.Comments), 0)
		})
	})
	t.Run("quiet only edits when nothing is new", func(t *testing.T) {
		reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
			f.Policy(`{"quietWhenNothingNew":true}`)
			f.Deliver(f.Event("opened", "a"))
			testkit.Require(t, "the first review is always visible", len(f.Host.Visible()), 1)
			first := f.Host.Visible()[0]
			d := f.Deliver(f.Event("synchronize", "b"))
			f.Want(d, domain.DispositionRun, "completed completed")
			testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
			testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 1)
			if now := f.Host.Visible()[0]; now == first || !strings.Contains(now, storetest.SHA("b")[:7]) {
				t.Fatalf("the summary was not edited: %s", now)
			}
			testkit.Equal(t, "check", concluded(f, d.RunID), "success")
			f.Snapshots.Lines[storetest.SHA("c")] = reviewtest.SecretLine()
			f.Deliver(f.Event("synchronize", "c"))
			testkit.Require(t, "visible reviews", len(f.Host.Visible()), 2)
		})
	})
}

func TestAFindingThatIsResolved(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
		testkit.Require(t, "inline comments", len(f.Host.Comments), 1)
		testkit.Equal(t, "check", concluded(f, d.RunID), "failure")
		known, err := f.Store.KnownFindings(bg, f.World.Tenant, f.Runs()[0].PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "the comment is known", known[0].CommentID, f.Host.Comments[0].ID)

		d = f.Deliver(f.Event("synchronize", "b"))
		f.Want(d, domain.DispositionRun, "completed completed")
		if body := f.Host.Comments[0].Body; !strings.HasPrefix(body, "**Resolved** in `"+storetest.SHA("b")[:7]+"`") {
			t.Fatalf("comment: %s", body)
		}
		testkit.Equal(t, "check", concluded(f, d.RunID), "success")
		known, err = f.Store.KnownFindings(bg, f.World.Tenant, f.Runs()[0].PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "state", known[0].State, domain.FindingResolved)
		// The summary in the first review was edited and kept its mark.
		testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 1)
		if strings.Count(f.Host.Visible()[0], "assay:pub=") != 1 {
			t.Fatalf("summary: %s", f.Host.Visible()[0])
		}
	})
}

func TestReflectingMayBeRepeated(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
		deliver := func(action, head string) store.Delivery { // with an open check run while the run is under way
			began, release := f.Hold(head)
			d := f.Processed(f.Event(action, head))
			reviewtest.Receive(t, began)
			f.Until("the check run is open", func() bool { return f.Host.Check(d.RunID).Status == "in_progress" })
			release()
			f.Settle()
			return d
		}
		deliver("opened", "a")
		d := deliver("synchronize", "b")
		wrote := f.Host.Wrote("check")
		before := fmt.Sprint(f.Host.Visible(), f.Host.Comments, f.Host.Check(d.RunID))
		for range 2 {
			_, err := f.Store.Enqueue(bg, store.NewJob{Kind: domain.KindReflect, Subject: d.RunID, Tenant: f.World.Tenant.ID})
			testkit.OK(t, err)
			f.Settle()
		}
		testkit.Equal(t, "after", fmt.Sprint(f.Host.Visible(), f.Host.Comments, f.Host.Check(d.RunID)), before)
		// The reflection of an older run leaves the newer summary alone.
		summary := f.Host.Visible()[0]
		_, err := f.Store.Enqueue(bg, store.NewJob{Kind: domain.KindReflect, Subject: f.Runs()[0].ID, Tenant: f.World.Tenant.ID})
		testkit.OK(t, err)
		f.Settle()
		testkit.Equal(t, "summary", f.Host.Visible()[0], summary)
		testkit.Equal(t, "checks", f.Host.Wrote("check"), wrote+3) // each reflection updates the check of its run once
	})
}

func TestReflectingWaitsForALimit(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Fail("check", &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Second})
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
		f.Host.Fail("check", nil)
		f.Until("the check is set", func() bool { return f.Host.Check(d.RunID).Conclusion == "success" })
	})
}

func TestAPullRequestThatIsGoneOrClosedOnTheHost(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *reviewtest.Fixture)
		reason string
	}{
		"gone":      {func(f *reviewtest.Fixture) { f.Host.Fail("pull", &codehost.Error{Class: codehost.ClassNotFound}) }, "the pull request cannot be reached on the host any more"},
		"forbidden": {func(f *reviewtest.Fixture) { f.Host.Fail("pull", &codehost.Error{Class: codehost.ClassForbidden}) }, "the pull request cannot be reached on the host any more"},
		"closed": {func(f *reviewtest.Fixture) {
			pr := f.Host.Pulls[1]
			pr.Open = false
			f.Host.Set(pr)
		}, "the pull request is not open"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				ev := f.Event("opened", "a")
				c.change(f)
				f.Want(f.Deliver(ev), domain.DispositionRun, "cancelled")
				testkit.Equal(t, "reason", f.Runs()[0].Reason, c.reason)
			})
		})
	}
}

func TestALimitOfTheHostIsASnooze(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Fail("pull", &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Hour})
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "running")
		j := f.Job(d.RunID, domain.KindReview)
		if j.Attempts != 0 || j.RunUS-j.NowUS < 50*60*1e6 {
			t.Fatalf("job: %+v", j)
		}
	})
}

func TestARepositoryThatIsDisconnectedBeforePublishing(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		began, release := f.Hold("a")
		f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		testkit.OK(t, f.Store.DisconnectRepositories(bg, f.World.Tenant, f.World.Installation.ID))
		release()
		f.Settle()
		testkit.Equal(t, "runs", f.States(), "cancelled")
		testkit.Equal(t, "reason", f.Runs()[0].Reason, "the repository is disconnected")
		testkit.Equal(t, "reviews", f.Host.Wrote("create")+f.Host.Wrote("submit"), 0)
	})
}

func TestAFailingFetchIsRetriedAndThenFails(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Stop()
		f.Settings.Attempts, f.Settings.BackoffFirst, f.Settings.BackoffMax = 3, time.Millisecond, time.Millisecond
		f.Start()
		var tries atomic.Int64
		f.Snapshots.Block(func(context.Context, string) error { tries.Add(1); return errors.New("the disk is full") })
		d := f.Deliver(f.Event("opened", "a"))
		f.Until("the run ends", func() bool { return f.States() == "failed" })
		testkit.Equal(t, "tries", tries.Load(), 3)
		testkit.Equal(t, "reason", f.Runs()[0].Reason, "the disk is full")
		f.Settle()
		shows(f, d.RunID, "completed neutral: The review failed")
		f.Snapshots.Block(nil)
		f.Want(f.Deliver(f.Event("reopened", "a")), domain.DispositionRun, "failed completed")
	})
}

func TestAChangeThatCannotBeReadFailsAtOnce(t *testing.T) {
	for name, cause := range map[string]error{
		"too large": errs.New(errs.TooLarge, "snapshot_too_large", "The diff is larger than allowed."),
		"no diff":   errs.New(errs.Invalid, "diff_invalid", "The diff of the change cannot be read."),
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Snapshots.Block(func(context.Context, string) error { return cause })
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "failed")
				testkit.Equal(t, "reason", f.Runs()[0].Reason, cause.Error())
				testkit.Equal(t, "job", f.Job(f.Runs()[0].ID, domain.KindReview).State, domain.JobDead)
			})
		})
	}
}

// A head without a commit in common with its base is not retried forever, and does not count as
// reviewed. A head that the host does not know yet is asked for again.
func TestAHeadThatIsUnrelatedToItsBase(t *testing.T) {
	absent := &codehost.Error{Class: codehost.ClassNotFound, Op: "compare commits"}
	for name, tell := range map[string]func(f *reviewtest.Fixture){
		"the host compares nothing":       func(f *reviewtest.Fixture) { f.Host.Fail("compare", absent) },
		"the host names no common commit": func(f *reviewtest.Fixture) { f.Host.Unrelated = true },
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Stop()
				f.Settings.BackoffFirst, f.Settings.BackoffMax = time.Millisecond, time.Millisecond
				tell(f)
				f.Start()
				d := f.Deliver(f.Event("opened", "a"))
				f.Until("the run ends", func() bool { return f.States() == "failed" })
				if got := f.Runs()[0].Reason; !strings.Contains(got, "no commit in common") {
					t.Errorf("reason %q", got)
				}
				if tries := f.Job(d.RunID, domain.KindReview).Attempts; tries > 2 {
					t.Errorf("%d attempts", tries)
				}
				f.Settle()
				testkit.Equal(t, "check", concluded(f, d.RunID), "neutral")
				testkit.Equal(t, "reviews", len(f.Host.Visible()), 0)
			})
		})
	}
	t.Run("a head that the host does not know yet", func(t *testing.T) {
		reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
			f.Host.Fail("compare", absent)
			d := f.Deliver(f.Event("opened", "a"))
			f.Until("the first attempt fails", func() bool { return f.Job(d.RunID, domain.KindReview).Attempts == 1 })
			testkit.Equal(t, "state", f.States(), "running")
		})
	})
}

func TestAPublicationThatFailsForGood(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Stop()
		f.Settings.Attempts, f.Settings.BackoffFirst, f.Settings.BackoffMax = 2, time.Millisecond, time.Millisecond
		f.Start()
		f.Host.Fail("create", &codehost.Error{Class: codehost.ClassUnavailable})
		d := f.Deliver(f.Event("opened", "a"))
		f.Until("the run ends", func() bool { return f.States() == "failed" })
		f.Settle()
		pub, err := f.Store.PublicationOf(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		testkit.Equal(t, "phase", pub.Phase, domain.PhaseAbandoned)
		shows(f, d.RunID, "completed neutral: The review failed")
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 0)
	})
}

// A rerun reviews everything again and reuses no result of the model. A repeated request returns the
// same run.
func TestARerun(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Models.Set(reviewtest.SilentModel)
		f.Deliver(f.Event("opened", "a"))
		testkit.Equal(t, "calls of the first run", f.Models.Calls, 1)
		run, err := f.Service.Runs.Rerun(bg, f.Runs()[0], "request-1", domain.Asker{How: domain.AskedByRerun, UserID: "usr_1", Name: "Ada"})
		testkit.OK(t, err)
		again, err := f.Service.Runs.Rerun(bg, f.Runs()[0], "request-1", domain.Asker{How: domain.AskedByRerun, UserID: "usr_1", Name: "Ada"})
		testkit.OK(t, err)
		testkit.Equal(t, "the same request", again.ID, run.ID)
		testkit.Equal(t, "asked by", run.Asker, domain.Asker{How: domain.AskedByRerun, UserID: "usr_1", Name: "Ada"})
		f.Settle()
		f.Until("the rerun ends", func() bool { return f.States() == "completed completed" })
		testkit.Equal(t, "calls of both", f.Models.Calls, 2)
		f.Deliver(f.Event("closed", "a"))
		if _, err := f.Service.Runs.Rerun(bg, run, "request-2", domain.Asker{}); err == nil {
			t.Fatal("a closed pull request was reviewed again")
		}
	})
}
