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
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

var errDown = &llm.Error{Class: llm.ClassRetryable, Status: 503, ProviderMessage: "overloaded"}

func down(int) (llm.Response, error) { return llm.Response{}, errDown }

// reviewJob reads the job that reviews a run.
func (f *fixture) reviewJob(run string) store.Job {
	f.t.Helper()
	got, err := f.store.JobsOf(bg, run)
	testkit.OK(f.t, err)
	for _, j := range got {
		if j.Kind == domain.KindReview {
			return j
		}
	}
	f.t.Fatal("no job reviews the run")
	return store.Job{}
}

func TestAModelThatIsDownOnlyDelays(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.models.set(down)
		d := f.deliver(f.event("opened", "a"))
		f.want(d, domain.DispositionRun, "running")
		j := f.reviewJob(d.RunID)
		testkit.Equal(t, "state", j.State, domain.JobQueued)
		testkit.Equal(t, "attempts", j.Attempts, 0)
		if !strings.HasPrefix(j.LastError, "waiting: the model does not answer") || j.RunUS <= j.NowUS {
			t.Fatalf("job: %+v", j)
		}
		f.models.set(silentModel)
		f.until("the review is published", func() bool { return f.states() == "completed" })
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)
	})
}

func TestAModelThatStaysDown(t *testing.T) {
	t.Run("with a deterministic finding", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			f.service.Window = time.Millisecond
			f.models.set(down)
			f.snapshots.lines[storetest.SHA("a")] = secretLine()
			f.deliver(f.event("opened", "a"))
			f.until("the run ends", func() bool { return f.states() == "completed" })
			f.settle()
			body := f.host.Visible()[0]
			if !strings.Contains(strings.ToLower(body), "unavailable") && !strings.Contains(strings.ToLower(body), "deterministic") {
				t.Fatalf("the review does not say that the model was away: %s", body)
			}
			run := f.runs()[0]
			testkit.Equal(t, "model", run.ModelState, "unavailable")
			if c := f.host.Check(run.ID); c.Conclusion == "success" {
				t.Fatalf("check: %+v", c)
			}
		})
	})
	t.Run("with nothing found", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			f.service.Window = time.Millisecond
			f.models.set(down)
			f.deliver(f.event("opened", "a"))
			f.until("the run ends", func() bool { return f.states() == "failed" })
			f.settle()
			testkit.Require(t, "visible reviews", len(f.host.Visible()), 0)
			run := f.runs()[0]
			c := f.host.Check(run.ID)
			if c.Conclusion != "neutral" || c.Title != "The review failed" || !strings.Contains(c.Summary, "unavailable") {
				t.Fatalf("check: %+v", c)
			}
			f.models.set(silentModel)
			f.want(f.deliver(f.event("synchronize", "b")), domain.DispositionRun, "failed completed")
		})
	})
}

func TestTheWindowStartsOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.models.set(down)
		f.deliver(f.event("opened", "a"))
		first := f.runs()[0].ModelDeadlineUS
		left, err := f.store.StartModelWindow(bg, f.world.Tenant, f.runs()[0].ID, 48*time.Hour)
		testkit.OK(t, err)
		if left > 10*time.Minute || f.runs()[0].ModelDeadlineUS != first {
			t.Fatalf("the window moved: %v left", left)
		}
	})
}

func TestErrorsOfTheModelThatDoNotPass(t *testing.T) {
	for name, c := range map[string]struct {
		err    *llm.Error
		secret bool
		state  string
		reason string
	}{
		"rejected effort":                 {&llm.Error{Class: llm.ClassEffort, Status: 400, ProviderMessage: "xhigh is not known here"}, true, "failed", "the model provider rejected the reasoning effort: xhigh is not known here"},
		"refused key, nothing found":      {&llm.Error{Class: llm.ClassCredential, Status: 401, ProviderMessage: "bad key"}, false, "failed", "the model was unavailable"},
		"refused key, something is found": {&llm.Error{Class: llm.ClassCredential, Status: 401, ProviderMessage: "bad key"}, true, "completed", ""},
		"no credit":                       {&llm.Error{Class: llm.ClassQuota, Status: 402}, false, "failed", "the model was unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.models.set(func(int) (llm.Response, error) { return llm.Response{}, c.err })
				if c.secret {
					f.snapshots.lines[storetest.SHA("a")] = secretLine()
				}
				f.want(f.deliver(f.event("opened", "a")), domain.DispositionRun, c.state)
				if run := f.runs()[0]; !strings.HasPrefix(run.Reason, c.reason) {
					t.Fatalf("reason: %s", run.Reason)
				}
				if c.state == "failed" {
					if got := f.host.Check(f.runs()[0].ID).Summary; !strings.Contains(got, c.reason) {
						t.Fatalf("check: %s", got)
					}
				}
				f.models.set(silentModel)
				f.want(f.deliver(f.event("synchronize", "b")), domain.DispositionRun, c.state+" completed")
			})
		})
	}
}

func TestAHeadThatCrashesItsWorkersIsQuarantined(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.stop()
		f.settings.Crashes = 1
		ev := f.event("opened", "a")
		f.send(ev)
		// A worker takes the delivery, another one the run, and dies with it.
		f.start()
		began, _ := f.hold("a")
		receive(t, began)
		run := f.runs()[0]
		j := f.reviewJob(run.ID)
		held, err := f.store.Extend(bg, j.ID, j.Gen, -time.Second, "review: generate")
		testkit.OK(t, err)
		testkit.Equal(t, "held", held, true)
		f.until("the run is given up", func() bool { // its own heartbeat may come before the sweep
			_, err := f.store.Extend(bg, j.ID, j.Gen, -time.Second, "review: generate")
			testkit.OK(t, err)
			return f.states() == "failed"
		})
		if reason := f.runs()[0].Reason; !strings.HasPrefix(reason, "crashed: the worker stopped in stage") {
			t.Fatalf("reason: %s", reason)
		}
		f.settle()
		d := f.deliver(ev)
		f.want(d, domain.DispositionIgnored, "failed")
		testkit.Equal(t, "names the run", d.RunID, run.ID)
		f.want(f.deliver(f.event("synchronize", "b")), domain.DispositionRun, "failed completed")
	})
}

func TestModesOfPublishing(t *testing.T) {
	t.Run("approval waits for a person", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			f.policy(`{"publishMode":"approval"}`)
			d := f.deliver(f.event("opened", "a"))
			f.want(d, domain.DispositionRun, "awaiting_approval")
			testkit.Require(t, "writes", len(f.host.Writes), 0)
			out, err := f.store.LatestOutput(bg, f.world.Tenant, d.RunID)
			testkit.OK(t, err)
			testkit.Require(t, "digest", len(out.Digest), 64)
			f.want(f.deliver(f.event("synchronize", "b")), domain.DispositionRun, "superseded awaiting_approval")
			f.want(f.deliver(f.event("closed", "b")), domain.DispositionApplied, "superseded cancelled")
		})
	})
	t.Run("silent writes nothing", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			f.policy(`{"publishMode":"silent"}`)
			f.snapshots.lines[storetest.SHA("a")] = secretLine()
			d := f.deliver(f.event("opened", "a"))
			f.want(d, domain.DispositionRun, "completed")
			testkit.Equal(t, "writes", fmt.Sprint(f.host.Writes), "[]")
			pub, err := f.store.PublicationOf(bg, f.world.Tenant, d.RunID)
			testkit.OK(t, err)
			testkit.Equal(t, "kind", pub.Kind, publish.KindNone)
			found, err := f.store.RunFindings(bg, f.world.Tenant, d.RunID)
			testkit.OK(t, err)
			testkit.Require(t, "findings", len(found), 1)
			f.policy(`{"publishMode":"auto"}`) // what was never shown is still new
			f.snapshots.lines[storetest.SHA("b")] = secretLine()
			f.want(f.deliver(f.event("synchronize", "b")), domain.DispositionRun, "completed completed")
			testkit.Require(t, "inline comments", len(f.host.Comments), 1)
		})
	})
	t.Run("summary only has no inline comments", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			f.policy(`{"publishMode":"summary-only"}`)
			f.snapshots.lines[storetest.SHA("a")] = secretLine()
			f.want(f.deliver(f.event("opened", "a")), domain.DispositionRun, "completed")
			testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)
			testkit.Require(t, "inline comments", len(f.host.Comments), 0)
		})
	})
	t.Run("quiet only edits when nothing is new", func(t *testing.T) {
		each(t, func(t *testing.T, f *fixture) {
			f.policy(`{"quietWhenNothingNew":true}`)
			f.deliver(f.event("opened", "a"))
			testkit.Require(t, "the first review is always visible", len(f.host.Visible()), 1)
			first := f.host.Visible()[0]
			d := f.deliver(f.event("synchronize", "b"))
			f.want(d, domain.DispositionRun, "completed completed")
			testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)
			testkit.Equal(t, "edits", f.host.Wrote("edit review"), 1)
			if now := f.host.Visible()[0]; now == first || !strings.Contains(now, storetest.SHA("b")[:7]) {
				t.Fatalf("the summary was not edited: %s", now)
			}
			testkit.Equal(t, "check", f.host.Check(d.RunID).Conclusion, "success")
			f.snapshots.lines[storetest.SHA("c")] = secretLine()
			f.deliver(f.event("synchronize", "c"))
			testkit.Require(t, "visible reviews", len(f.host.Visible()), 2)
		})
	})
}

func TestAFindingThatIsResolved(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.snapshots.lines[storetest.SHA("a")] = secretLine()
		d := f.deliver(f.event("opened", "a"))
		f.want(d, domain.DispositionRun, "completed")
		testkit.Require(t, "inline comments", len(f.host.Comments), 1)
		testkit.Equal(t, "check", f.host.Check(d.RunID).Conclusion, "failure")
		known, err := f.store.KnownFindings(bg, f.world.Tenant, f.runs()[0].PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "the comment is known", known[0].CommentID, f.host.Comments[0].ID)

		d = f.deliver(f.event("synchronize", "b"))
		f.want(d, domain.DispositionRun, "completed completed")
		if body := f.host.Comments[0].Body; !strings.HasPrefix(body, "**Resolved** in `"+storetest.SHA("b")[:7]+"`") {
			t.Fatalf("comment: %s", body)
		}
		testkit.Equal(t, "check", f.host.Check(d.RunID).Conclusion, "success")
		known, err = f.store.KnownFindings(bg, f.world.Tenant, f.runs()[0].PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "state", known[0].State, domain.FindingResolved)
		// The summary in the first review was edited and kept its mark.
		testkit.Equal(t, "edits", f.host.Wrote("edit review"), 1)
		if strings.Count(f.host.Visible()[0], "assay:pub=") != 1 {
			t.Fatalf("summary: %s", f.host.Visible()[0])
		}
	})
}

func TestReflectingMayBeRepeated(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.snapshots.lines[storetest.SHA("a")] = secretLine()
		f.deliver(f.event("opened", "a"))
		d := f.deliver(f.event("synchronize", "b"))
		before := fmt.Sprint(f.host.Visible(), f.host.Comments, f.host.Check(d.RunID))
		for range 2 {
			_, err := f.store.Enqueue(bg, store.NewJob{Kind: domain.KindReflect, Subject: d.RunID, Tenant: f.world.Tenant.ID})
			testkit.OK(t, err)
			f.settle()
		}
		testkit.Equal(t, "after", fmt.Sprint(f.host.Visible(), f.host.Comments, f.host.Check(d.RunID)), before)
		// The reflection of an older run leaves the newer summary alone.
		summary := f.host.Visible()[0]
		_, err := f.store.Enqueue(bg, store.NewJob{Kind: domain.KindReflect, Subject: f.runs()[0].ID, Tenant: f.world.Tenant.ID})
		testkit.OK(t, err)
		f.settle()
		testkit.Equal(t, "summary", f.host.Visible()[0], summary)
		testkit.Equal(t, "checks", f.host.Wrote("check"), 5)
	})
}

func TestReflectingWaitsForALimit(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.host.Fail("check", &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Second})
		d := f.deliver(f.event("opened", "a"))
		f.want(d, domain.DispositionRun, "completed")
		f.host.Fail("check", nil)
		f.until("the check is set", func() bool { return f.host.Check(d.RunID).Conclusion == "success" })
	})
}

func TestAPullRequestThatIsGoneOrClosedOnTheHost(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture)
		reason string
	}{
		"gone":      {func(f *fixture) { f.host.Fail("pull", &codehost.Error{Class: codehost.ClassNotFound}) }, "the pull request cannot be reached on the host any more"},
		"forbidden": {func(f *fixture) { f.host.Fail("pull", &codehost.Error{Class: codehost.ClassForbidden}) }, "the pull request cannot be reached on the host any more"},
		"closed": {func(f *fixture) {
			pr := f.host.Pulls[1]
			pr.Open = false
			f.host.Set(pr)
		}, "the pull request is not open"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				ev := f.event("opened", "a")
				c.change(f)
				f.want(f.deliver(ev), domain.DispositionRun, "cancelled")
				testkit.Equal(t, "reason", f.runs()[0].Reason, c.reason)
			})
		})
	}
}

func TestALimitOfTheHostIsASnooze(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.host.Fail("pull", &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Hour})
		d := f.deliver(f.event("opened", "a"))
		f.want(d, domain.DispositionRun, "running")
		j := f.reviewJob(d.RunID)
		if j.Attempts != 0 || j.RunUS-j.NowUS < 50*60*1e6 {
			t.Fatalf("job: %+v", j)
		}
	})
}

func TestARepositoryThatIsDisconnectedBeforePublishing(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		began, release := f.hold("a")
		f.processed(f.event("opened", "a"))
		receive(t, began)
		testkit.OK(t, f.store.DisconnectRepositories(bg, f.world.Tenant, f.world.Installation.ID))
		release()
		f.settle()
		testkit.Equal(t, "runs", f.states(), "cancelled")
		testkit.Equal(t, "reason", f.runs()[0].Reason, "the repository is disconnected")
		testkit.Require(t, "writes", len(f.host.Writes), 0)
	})
}

func TestAFailingFetchIsRetriedAndThenFails(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.stop()
		f.settings.Attempts, f.settings.BackoffFirst, f.settings.BackoffMax = 3, time.Millisecond, time.Millisecond
		f.start()
		var tries atomic.Int64
		f.snapshots.block(func(context.Context, string) error { tries.Add(1); return errors.New("the disk is full") })
		d := f.deliver(f.event("opened", "a"))
		f.until("the run ends", func() bool { return f.states() == "failed" })
		testkit.Equal(t, "tries", tries.Load(), 3)
		testkit.Equal(t, "reason", f.runs()[0].Reason, "the disk is full")
		f.settle()
		testkit.Equal(t, "check", f.host.Check(d.RunID).Title, "The review failed")
		f.snapshots.block(nil)
		f.want(f.deliver(f.event("reopened", "a")), domain.DispositionRun, "failed completed")
	})
}

func TestAChangeThatCannotBeReadFailsAtOnce(t *testing.T) {
	for name, cause := range map[string]error{
		"too large": errs.New(errs.TooLarge, "snapshot_too_large", "The diff is larger than allowed."),
		"no diff":   errs.New(errs.Invalid, "diff_invalid", "The diff of the change cannot be read."),
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.snapshots.block(func(context.Context, string) error { return cause })
				f.want(f.deliver(f.event("opened", "a")), domain.DispositionRun, "failed")
				testkit.Equal(t, "reason", f.runs()[0].Reason, cause.Error())
				testkit.Equal(t, "job", f.reviewJob(f.runs()[0].ID).State, domain.JobDead)
			})
		})
	}
}

func TestAPublicationThatFailsForGood(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.stop()
		f.settings.Attempts, f.settings.BackoffFirst, f.settings.BackoffMax = 2, time.Millisecond, time.Millisecond
		f.start()
		f.host.Fail("create", &codehost.Error{Class: codehost.ClassUnavailable})
		d := f.deliver(f.event("opened", "a"))
		f.until("the run ends", func() bool { return f.states() == "failed" })
		f.settle()
		pub, err := f.store.PublicationOf(bg, f.world.Tenant, d.RunID)
		testkit.OK(t, err)
		testkit.Equal(t, "phase", pub.Phase, domain.PhaseAbandoned)
		testkit.Equal(t, "check", f.host.Check(d.RunID).Title, "The review failed")
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 0)
	})
}

// A rerun reviews everything again: who asks for it does not ask for what is known.
func TestARerun(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.models.set(silentModel)
		f.deliver(f.event("opened", "a"))
		testkit.Equal(t, "calls of the first run", f.models.calls, 1)
		run, err := f.service.Runs.Rerun(bg, f.runs()[0], "request-1")
		testkit.OK(t, err)
		again, err := f.service.Runs.Rerun(bg, f.runs()[0], "request-1")
		testkit.OK(t, err)
		testkit.Equal(t, "the same request", again.ID, run.ID)
		f.settle()
		f.until("the rerun ends", func() bool { return f.states() == "completed completed" })
		testkit.Equal(t, "calls of both", f.models.calls, 2)
		f.deliver(f.event("closed", "a"))
		if _, err := f.service.Runs.Rerun(bg, run, "request-2"); err == nil {
			t.Fatal("a closed pull request was reviewed again")
		}
	})
}
