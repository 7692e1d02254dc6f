package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAnOpenedPullRequestIsReviewedOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		ev := f.Event("opened", "a")
		ev.Sender.Login = "mona"
		d := f.Deliver(ev)
		f.Want(d, domain.DispositionRun, "completed")
		testkit.Equal(t, "the delivery names its run", d.RunID, f.Runs()[0].ID)
		testkit.Equal(t, "asked by", f.Runs()[0].Asker, domain.Asker{How: domain.AskedByEvent, Name: ev.Sender.Login})
		testkit.Equal(t, "the delivery's tenant", d.Tenant, f.World.Tenant.ID)
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
		testkit.Equal(t, "check", f.Host.Check(d.RunID).Conclusion, "success")

		again := f.Deliver(ev) // with another delivery id
		f.Want(again, domain.DispositionCoalesced, "completed")
		testkit.Equal(t, "into", again.RunID, d.RunID)
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)

		steps, err := f.Store.Transitions(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		var way []string
		for _, s := range steps {
			way = append(way, s.To)
		}
		testkit.Equal(t, "transitions", strings.Join(way, " "), "queued running publishing completed")
	})
}

func TestRacingDeliveriesOfOneHeadAreOneRun(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		ev := f.Event("opened", "a")
		guids := make([]string, 20)
		for i := range guids {
			if i%2 == 1 {
				ev.Action = "synchronize"
			}
			ev.PullRequest.Title = fmt.Sprint("Title ", i) // every body is different
			guids[i] = f.Send(ev)
		}
		f.Settle()
		testkit.Equal(t, "runs", f.States(), "completed")
		count := map[domain.Disposition]int{}
		for _, g := range guids {
			count[f.Delivery(g).Disposition]++
		}
		testkit.Equal(t, "made a run", count[domain.DispositionRun], 1)
		testkit.Equal(t, "coalesced", count[domain.DispositionCoalesced], 19)
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
	})
}

func TestAPushSupersedesWhatIsQueuedAndRunning(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		began, release := f.Hold("a", "b")
		f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		f.Processed(f.Event("synchronize", "b")) // queued or running when the next one arrives
		d := f.Processed(f.Event("synchronize", "c"))
		release()
		f.Settle()
		f.Until("the last one is published", func() bool { return f.States() == "superseded superseded completed" })
		runs := f.Runs()
		testkit.Equal(t, "successor of the first", runs[0].SupersededBy, runs[1].ID)
		testkit.Equal(t, "the last", runs[2].ID, d.RunID)
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
		if !strings.Contains(f.Host.Visible()[0], storetest.SHA("c")[:7]) {
			t.Fatalf("reviewed: %s", f.Host.Visible()[0])
		}
	})
}

func TestEventsThatStartNothing(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		event  func(f *reviewtest.Fixture) codehost.Event
		reason string
	}{
		"edited":  {event: func(f *reviewtest.Fixture) codehost.Event { return f.Event("edited", "a") }, reason: codehost.ReasonUnusedAction},
		"a label": {event: func(f *reviewtest.Fixture) codehost.Event { return f.Event("labeled", "a", reviewtest.Labels("bug")) }, reason: "a label changes nothing here"},
		"the wrong label": {policy: `{"triggers":{"labels":["review"]}}`, event: func(f *reviewtest.Fixture) codehost.Event {
			ev := f.Event("labeled", "a", reviewtest.Labels("bug", "review"))
			ev.Label = "bug"
			return ev
		}, reason: "a label changes nothing here"},
		"a label of a draft": {policy: `{"triggers":{"labels":["review"]}}`, event: func(f *reviewtest.Fixture) codehost.Event {
			return f.Event("labeled", "a", reviewtest.Labels("review"), reviewtest.Drafted)
		}, reason: "the pull request is a draft"},
		"unused kind": {event: func(*reviewtest.Fixture) codehost.Event {
			return codehost.Event{Kind: codehost.KindReview, Name: "pull_request_review"}
		}, reason: "not used yet: review"},
		"ignored by the adapter": {event: func(*reviewtest.Fixture) codehost.Event {
			return codehost.Event{Kind: codehost.KindIgnored, Name: "ping", Reason: codehost.ReasonPing}
		}, reason: codehost.ReasonPing},
		"no pull request": {event: func(*reviewtest.Fixture) codehost.Event { return codehost.Event{Kind: codehost.KindPullRequest} }, reason: "no pull request"},
		"no installation": {event: func(*reviewtest.Fixture) codehost.Event {
			return codehost.Event{Kind: codehost.KindPullRequest, Installation: &codehost.Installation{}}
		}, reason: "no installation"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				if c.policy != "" {
					f.Policy(c.policy)
				}
				d := f.Deliver(c.event(f))
				f.Want(d, domain.DispositionIgnored, "")
				testkit.Equal(t, "reason", d.Reason, c.reason)
			})
		})
	}
}

func TestAnUnreadablePayloadIsIgnored(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		_, err := f.Store.Ingest(bg, store.NewDelivery{Source: f.World.App.ID, GUID: "g", Event: "pull_request", Payload: []byte(`{"Kind":5}`)})
		testkit.OK(t, err)
		f.Until("processed", func() bool { return f.Delivery("g").Disposition == domain.DispositionIgnored })
		testkit.Equal(t, "reason", f.Delivery("g").Reason, "unreadable payload")
	})
}

func TestPoliciesThatSkip(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		action string
		change func(*codehost.PullRequest)
		reason string
	}{
		"off":             {policy: `{"enabled":false}`, reason: "reviews are off for this repository"},
		"draft":           {change: reviewtest.Drafted, reason: "the pull request is a draft"},
		"bot":             {change: func(p *codehost.PullRequest) { p.AuthorIsBot = true }, reason: "the author is a bot"},
		"excluded author": {policy: `{"triggers":{"excludedAuthors":["MONA"]}}`, reason: "the author is excluded"},
		"no label":        {policy: `{"triggers":{"labels":["review"]}}`, change: reviewtest.Labels("other"), reason: "none of the labels that ask for a review is set"},
		"target branch":   {policy: `{"triggers":{"targetBranches":["release/*"]}}`, reason: "the target branch is not one that is reviewed"},
		"opened off":      {policy: `{"triggers":{"opened":false}}`, reason: "opening a pull request does not start a review here"},
		"push off":        {policy: `{"triggers":{"push":false}}`, action: "synchronize", reason: "a push does not start a review here"},
		"ready off":       {policy: `{"triggers":{"ready":false}}`, action: "ready_for_review", reason: "becoming ready does not start a review here"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				if c.policy != "" {
					f.Policy(c.policy)
				}
				action, change := c.action, c.change
				if action == "" {
					action = "opened"
				}
				if change == nil {
					change = func(*codehost.PullRequest) {}
				}
				f.Want(f.Deliver(f.Event(action, "a", change)), domain.DispositionRun, "skipped")
				testkit.Equal(t, "reason", f.Runs()[0].Reason, c.reason)
				check, writes := "skipped", 1
				if name == "off" {
					check, writes = "", 0
				}
				testkit.Equal(t, "check", f.Host.Check(f.Runs()[0].ID).Conclusion, check)
				testkit.Require(t, "writes", len(f.Host.Writes), writes)
			})
		})
	}
}

func TestPoliciesThatAllow(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		change func(*codehost.PullRequest)
	}{
		"drafts":         {`{"triggers":{"draft":true}}`, reviewtest.Drafted},
		"bots":           {`{"triggers":{"includeBots":true}}`, func(p *codehost.PullRequest) { p.AuthorIsBot = true }},
		"the label":      {`{"triggers":{"labels":["Review"]}}`, reviewtest.Labels("review")},
		"target branch":  {`{"triggers":{"targetBranches":["ma*"]}}`, func(*codehost.PullRequest) {}},
		"another author": {`{"triggers":{"excludedAuthors":["hubot"]}}`, func(*codehost.PullRequest) {}},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Policy(c.policy)
				f.Want(f.Deliver(f.Event("opened", "a", c.change)), domain.DispositionRun, "completed")
			})
		})
	}
}

func TestASkippedDraftThatBecomesReady(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Want(f.Deliver(f.Event("opened", "a", reviewtest.Drafted)), domain.DispositionRun, "skipped")
		f.Want(f.Deliver(f.Event("ready_for_review", "a")), domain.DispositionRun, "skipped completed")
		runs := f.Runs()
		testkit.Equal(t, "key", runs[1].TriggerKey, "auto:after:"+runs[0].ID)
		f.Want(f.Deliver(f.Event("converted_to_draft", "a", reviewtest.Drafted)), domain.DispositionApplied, "skipped completed")
		f.Want(f.Deliver(f.Event("ready_for_review", "a")), domain.DispositionCoalesced, "skipped completed")
	})
}

func TestTheLabelThatAsksForAReview(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"triggers":{"labels":["review"]}}`)
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "skipped")
		f.Want(f.Deliver(f.Event("labeled", "a", reviewtest.Labels("bug"))), domain.DispositionIgnored, "skipped")
		f.Want(f.Deliver(f.Event("labeled", "a", reviewtest.Labels("bug", "review"))), domain.DispositionRun, "skipped completed")
		f.Want(f.Deliver(f.Event("labeled", "a", reviewtest.Labels("bug", "review"))), domain.DispositionCoalesced, "skipped completed")
	})
}

func TestClosingCancelsWhatIsOpen(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		began, release := f.Hold("a")
		f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		d := f.Processed(f.Event("closed", "a"))
		f.Want(d, domain.DispositionApplied, "cancelled")
		release()
		f.Settle()
		f.Want(d, domain.DispositionApplied, "cancelled")
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 0)
		testkit.Equal(t, "check", f.Host.Check(f.Runs()[0].ID).Conclusion, "neutral")

		f.Want(f.Deliver(f.Event("reopened", "a")), domain.DispositionRun, "cancelled completed")
	})
}

func TestOutdatedEvents(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		old := f.Event("opened", "a")
		oldClose := f.Event("closed", "b")
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed")
		d := f.Deliver(old)
		f.Want(d, domain.DispositionIgnored, "completed")
		testkit.Equal(t, "reason", d.Reason, "outdated: the pull request has moved on")
		f.Want(f.Deliver(oldClose), domain.DispositionIgnored, "completed")

		late := f.Event("synchronize", "b")
		f.Deliver(f.Event("closed", "b"))
		late.PullRequest.HeadSHA = storetest.SHA("b")
		f.Want(f.Deliver(late), domain.DispositionCoalesced, "completed")
	})
}

func TestAForcePushBackToAPublishedHead(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Deliver(f.Event("opened", "a"))
		f.Deliver(f.Event("synchronize", "b"))
		d := f.Deliver(f.Event("synchronize", "a")) // already published: nothing new
		f.Want(d, domain.DispositionCoalesced, "completed completed")
		testkit.Equal(t, "into", d.RunID, f.Runs()[0].ID)
	})
}

func TestAForcePushBackToASupersededHead(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		began, release := f.Hold("a")
		f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		f.Processed(f.Event("synchronize", "b"))
		release()
		f.Settle()
		testkit.Equal(t, "runs", f.States(), "superseded completed")
		f.Want(f.Deliver(f.Event("synchronize", "a")), domain.DispositionRun, "superseded completed completed")
		runs := f.Runs()
		testkit.Equal(t, "key", runs[2].TriggerKey, "auto:after:"+runs[0].ID)
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 2)
	})
}

func TestAHeadWhoseEventIsLateOrLost(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		ev := f.Event("opened", "a")
		late := f.Event("synchronize", "b") // the host already has it
		f.Want(f.Deliver(ev), domain.DispositionRun, "superseded completed")
		runs := f.Runs()
		testkit.Equal(t, "head", runs[1].HeadSHA, storetest.SHA("b"))
		testkit.Equal(t, "successor", runs[0].SupersededBy, runs[1].ID)
		f.Want(f.Deliver(late), domain.DispositionCoalesced, "superseded completed")
	})
}

func TestTwoEventsOfOneSecondInTheWrongOrder(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		began, release := f.Hold("b")
		first := f.Event("opened", "a")
		second := f.Event("synchronize", "b")
		second.PullRequest.UpdatedAt = first.PullRequest.UpdatedAt
		f.Processed(second)
		reviewtest.Receive(t, began)
		f.Snapshots.Block(nil)
		f.Processed(first) // restores the former head, because the host's times are whole seconds
		release()
		f.Settle()
		f.Until("the newest head is reviewed", func() bool {
			last := f.Runs()[len(f.Runs())-1]
			return last.HeadSHA == storetest.SHA("b") && last.State == domain.RunCompleted
		})
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 1)
	})
}

// Deliveries overtake each other, and the host's times are whole seconds. If a pull request closes and opens
// again within one second, the host's present state decides.
func TestClosedAndReopenedWithinOneSecond(t *testing.T) {
	for name, c := range map[string]struct {
		order  []string // order of the deliveries
		last   string   // the last act
		states string
	}{
		"reopened, in order":                   {[]string{"closed", "reopened"}, "reopened", "cancelled completed"},
		"reopened, delivered in reverse order": {[]string{"reopened", "closed"}, "reopened", "completed"},
		"closed, in order":                     {[]string{"reopened", "closed"}, "closed", "cancelled"},
		"closed, delivered in reverse order":   {[]string{"closed", "reopened"}, "closed", "cancelled skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				began, release := f.Hold("a")
				f.Processed(f.Event("opened", "a"))
				reviewtest.Receive(t, began)
				events := map[string]codehost.Event{"closed": f.Event("closed", "a"), "reopened": f.Event("reopened", "a")}
				events["reopened"].PullRequest.UpdatedAt = events["closed"].PullRequest.UpdatedAt
				f.Host.Set(*events[c.last].PullRequest)
				for _, action := range c.order {
					f.Processed(events[action])
				}
				release()
				f.Settle()
				testkit.Equal(t, "runs", f.States(), c.states)
				testkit.Equal(t, "visible reviews", len(f.Host.Visible()), strings.Count(c.states, "completed"))
			})
		})
	}
}

func TestManyPullRequestsAtOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		for n := 2; n < 10; n++ {
			ev := f.Event("opened", "a", func(pr *codehost.PullRequest) { pr.Number = n })
			f.Send(ev)
		}
		f.Settle()
		testkit.Equal(t, "runs", f.States(), strings.TrimSpace(strings.Repeat("completed ", 8)))
		testkit.Require(t, "visible reviews", len(f.Host.Visible()), 8)
	})
}
