package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAnOpenedPullRequestIsReviewedOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ev := f.event("opened", "a")
		d := f.deliver(ev)
		f.want(d, domain.DispositionRun, "completed")
		testkit.Equal(t, "the delivery names its run", d.RunID, f.runs()[0].ID)
		testkit.Equal(t, "the delivery's tenant", d.Tenant, f.world.Tenant.ID)
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)
		testkit.Equal(t, "check", f.host.Check(d.RunID).Conclusion, "success")

		again := f.deliver(ev) // with another id of the host's
		f.want(again, domain.DispositionCoalesced, "completed")
		testkit.Equal(t, "into", again.RunID, d.RunID)
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)

		steps, err := f.store.Transitions(bg, f.world.Tenant, d.RunID)
		testkit.OK(t, err)
		var way []string
		for _, s := range steps {
			way = append(way, s.To)
		}
		testkit.Equal(t, "transitions", strings.Join(way, " "), "queued running publishing completed")
	})
}

func TestRacingDeliveriesOfOneHeadAreOneRun(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ev := f.event("opened", "a")
		guids := make([]string, 20)
		for i := range guids {
			if i%2 == 1 {
				ev.Action = "synchronize"
			}
			guids[i] = f.send(ev)
		}
		f.settle()
		testkit.Equal(t, "runs", f.states(), "completed")
		count := map[domain.Disposition]int{}
		for _, g := range guids {
			count[f.delivery(g).Disposition]++
		}
		testkit.Equal(t, "made a run", count[domain.DispositionRun], 1)
		testkit.Equal(t, "coalesced", count[domain.DispositionCoalesced], 19)
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)
	})
}

func TestAPushSupersedesWhatIsQueuedAndRunning(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		began, release := f.hold("a", "b")
		f.processed(f.event("opened", "a"))
		receive(t, began)
		f.processed(f.event("synchronize", "b")) // queued or running when the next one comes
		d := f.processed(f.event("synchronize", "c"))
		release()
		f.settle()
		f.until("the last one is published", func() bool { return f.states() == "superseded superseded completed" })
		runs := f.runs()
		testkit.Equal(t, "successor of the first", runs[0].SupersededBy, runs[1].ID)
		testkit.Equal(t, "the last", runs[2].ID, d.RunID)
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)
		if !strings.Contains(f.host.Visible()[0], storetest.SHA("c")[:7]) {
			t.Fatalf("reviewed: %s", f.host.Visible()[0])
		}
	})
}

func TestEventsThatStartNothing(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		event  func(f *fixture) codehost.Event
		reason string
	}{
		"edited":  {event: func(f *fixture) codehost.Event { return f.event("edited", "a") }, reason: codehost.ReasonUnusedAction},
		"a label": {event: func(f *fixture) codehost.Event { return f.event("labeled", "a", labels("bug")) }, reason: "a label changes nothing here"},
		"the wrong label": {policy: `{"triggers":{"labels":["review"]}}`, event: func(f *fixture) codehost.Event {
			ev := f.event("labeled", "a", labels("bug", "review"))
			ev.Label = "bug"
			return ev
		}, reason: "a label changes nothing here"},
		"a label of a draft": {policy: `{"triggers":{"labels":["review"]}}`, event: func(f *fixture) codehost.Event {
			return f.event("labeled", "a", labels("review"), drafted)
		}, reason: "the pull request is a draft"},
		"kind of no use": {event: func(*fixture) codehost.Event { return codehost.Event{Kind: codehost.KindCheck, Name: "check_run"} }, reason: "not used yet: check"},
		"ignored by the adapter": {event: func(*fixture) codehost.Event {
			return codehost.Event{Kind: codehost.KindIgnored, Name: "ping", Reason: codehost.ReasonPing}
		}, reason: codehost.ReasonPing},
		"no pull request": {event: func(*fixture) codehost.Event { return codehost.Event{Kind: codehost.KindPullRequest} }, reason: "no pull request"},
		"no installation": {event: func(*fixture) codehost.Event {
			return codehost.Event{Kind: codehost.KindPullRequest, Installation: &codehost.Installation{}}
		}, reason: "no installation"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				if c.policy != "" {
					f.policy(c.policy)
				}
				d := f.deliver(c.event(f))
				f.want(d, domain.DispositionIgnored, "")
				testkit.Equal(t, "reason", d.Reason, c.reason)
			})
		})
	}
}

func TestAnUnreadablePayloadIsIgnored(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, err := f.store.Ingest(bg, store.NewDelivery{Source: f.world.App.ID, GUID: "g", Event: "pull_request", Payload: []byte(`{"Kind":5}`)})
		testkit.OK(t, err)
		f.until("processed", func() bool { return f.delivery("g").Disposition == domain.DispositionIgnored })
		testkit.Equal(t, "reason", f.delivery("g").Reason, "unreadable payload")
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
		"draft":           {change: drafted, reason: "the pull request is a draft"},
		"bot":             {change: func(p *codehost.PullRequest) { p.AuthorIsBot = true }, reason: "the author is a bot"},
		"excluded author": {policy: `{"triggers":{"excludedAuthors":["MONA"]}}`, reason: "the author is excluded"},
		"no label":        {policy: `{"triggers":{"labels":["review"]}}`, change: labels("other"), reason: "none of the labels that ask for a review is set"},
		"target branch":   {policy: `{"triggers":{"targetBranches":["release/*"]}}`, reason: "the target branch is not one that is reviewed"},
		"opened off":      {policy: `{"triggers":{"opened":false}}`, reason: "opening a pull request does not start a review here"},
		"push off":        {policy: `{"triggers":{"push":false}}`, action: "synchronize", reason: "a push does not start a review here"},
		"ready off":       {policy: `{"triggers":{"ready":false}}`, action: "ready_for_review", reason: "becoming ready does not start a review here"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				if c.policy != "" {
					f.policy(c.policy)
				}
				action, change := c.action, c.change
				if action == "" {
					action = "opened"
				}
				if change == nil {
					change = func(*codehost.PullRequest) {}
				}
				f.want(f.deliver(f.event(action, "a", change)), domain.DispositionRun, "skipped")
				testkit.Equal(t, "reason", f.runs()[0].Reason, c.reason)
				testkit.Require(t, "writes", len(f.host.Writes), 0)
			})
		})
	}
}

func TestPoliciesThatAllow(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		change func(*codehost.PullRequest)
	}{
		"drafts":         {`{"triggers":{"draft":true}}`, drafted},
		"bots":           {`{"triggers":{"includeBots":true}}`, func(p *codehost.PullRequest) { p.AuthorIsBot = true }},
		"the label":      {`{"triggers":{"labels":["Review"]}}`, labels("review")},
		"target branch":  {`{"triggers":{"targetBranches":["ma*"]}}`, func(*codehost.PullRequest) {}},
		"another author": {`{"triggers":{"excludedAuthors":["hubot"]}}`, func(*codehost.PullRequest) {}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.policy(c.policy)
				f.want(f.deliver(f.event("opened", "a", c.change)), domain.DispositionRun, "completed")
			})
		})
	}
}

func TestASkippedDraftThatBecomesReady(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.want(f.deliver(f.event("opened", "a", drafted)), domain.DispositionRun, "skipped")
		f.want(f.deliver(f.event("ready_for_review", "a")), domain.DispositionRun, "skipped completed")
		runs := f.runs()
		testkit.Equal(t, "key", runs[1].TriggerKey, "auto:after:"+runs[0].ID)
		f.want(f.deliver(f.event("converted_to_draft", "a", drafted)), domain.DispositionApplied, "skipped completed")
		f.want(f.deliver(f.event("ready_for_review", "a")), domain.DispositionCoalesced, "skipped completed")
	})
}

func TestTheLabelThatAsksForAReview(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.policy(`{"triggers":{"labels":["review"]}}`)
		f.want(f.deliver(f.event("opened", "a")), domain.DispositionRun, "skipped")
		f.want(f.deliver(f.event("labeled", "a", labels("bug"))), domain.DispositionIgnored, "skipped")
		f.want(f.deliver(f.event("labeled", "a", labels("bug", "review"))), domain.DispositionRun, "skipped completed")
		f.want(f.deliver(f.event("labeled", "a", labels("bug", "review"))), domain.DispositionCoalesced, "skipped completed")
	})
}

func TestClosingCancelsWhatIsOpen(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		began, release := f.hold("a")
		f.processed(f.event("opened", "a"))
		receive(t, began)
		d := f.processed(f.event("closed", "a"))
		f.want(d, domain.DispositionApplied, "cancelled")
		release()
		f.settle()
		f.want(d, domain.DispositionApplied, "cancelled")
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 0)
		testkit.Equal(t, "check", f.host.Check(f.runs()[0].ID).Conclusion, "cancelled")

		f.want(f.deliver(f.event("reopened", "a")), domain.DispositionRun, "cancelled completed")
	})
}

func TestOutdatedEvents(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		old := f.event("opened", "a")
		oldClose := f.event("closed", "b")
		f.want(f.deliver(f.event("synchronize", "b")), domain.DispositionRun, "completed")
		d := f.deliver(old)
		f.want(d, domain.DispositionIgnored, "completed")
		testkit.Equal(t, "reason", d.Reason, "outdated: the pull request has moved on")
		f.want(f.deliver(oldClose), domain.DispositionIgnored, "completed")

		late := f.event("synchronize", "b")
		f.deliver(f.event("closed", "b"))
		late.PullRequest.HeadSHA = storetest.SHA("b")
		f.want(f.deliver(late), domain.DispositionCoalesced, "completed")
	})
}

func TestAForcePushBackToAnEarlierHead(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.deliver(f.event("opened", "a"))
		f.deliver(f.event("synchronize", "b"))
		d := f.deliver(f.event("synchronize", "a")) // published: nothing new
		f.want(d, domain.DispositionCoalesced, "completed completed")
		testkit.Equal(t, "into", d.RunID, f.runs()[0].ID)
	})
	each(t, func(t *testing.T, f *fixture) {
		began, release := f.hold("a")
		f.processed(f.event("opened", "a"))
		receive(t, began)
		f.processed(f.event("synchronize", "b"))
		release()
		f.settle()
		testkit.Equal(t, "runs", f.states(), "superseded completed")
		f.want(f.deliver(f.event("synchronize", "a")), domain.DispositionRun, "superseded completed completed")
		runs := f.runs()
		testkit.Equal(t, "key", runs[2].TriggerKey, "auto:after:"+runs[0].ID)
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 2)
	})
}

func TestAHeadWhoseEventIsLateOrLost(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ev := f.event("opened", "a")
		late := f.event("synchronize", "b") // the host has it already
		f.want(f.deliver(ev), domain.DispositionRun, "superseded completed")
		runs := f.runs()
		testkit.Equal(t, "head", runs[1].HeadSHA, storetest.SHA("b"))
		testkit.Equal(t, "successor", runs[0].SupersededBy, runs[1].ID)
		f.want(f.deliver(late), domain.DispositionCoalesced, "superseded completed")
	})
}

func TestTwoEventsOfOneSecondInTheWrongOrder(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		began, release := f.hold("b")
		first := f.event("opened", "a")
		second := f.event("synchronize", "b")
		second.PullRequest.UpdatedAt = first.PullRequest.UpdatedAt
		f.processed(second)
		receive(t, began)
		f.snapshots.block(nil)
		f.processed(first) // sets the head back: hosts count in seconds
		release()
		f.settle()
		f.until("the newest head is reviewed", func() bool {
			last := f.runs()[len(f.runs())-1]
			return last.HeadSHA == storetest.SHA("b") && last.State == domain.RunCompleted
		})
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 1)
	})
}

// Deliveries overtake each other, and hosts count in seconds: what closes and
// opens again within one second is what the host says it is.
func TestClosedAndReopenedWithinOneSecond(t *testing.T) {
	for name, c := range map[string]struct {
		order  []string // of the deliveries
		last   string   // what happened last
		states string
	}{
		"reopened, in order":                 {[]string{"closed", "reopened"}, "reopened", "cancelled completed"},
		"reopened, told the wrong way round": {[]string{"reopened", "closed"}, "reopened", "completed"},
		"closed, in order":                   {[]string{"reopened", "closed"}, "closed", "cancelled"},
		"closed, told the wrong way round":   {[]string{"closed", "reopened"}, "closed", "cancelled skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				began, release := f.hold("a")
				f.processed(f.event("opened", "a"))
				receive(t, began)
				events := map[string]codehost.Event{"closed": f.event("closed", "a"), "reopened": f.event("reopened", "a")}
				events["reopened"].PullRequest.UpdatedAt = events["closed"].PullRequest.UpdatedAt
				f.host.Set(*events[c.last].PullRequest)
				for _, action := range c.order {
					f.processed(events[action])
				}
				release()
				f.settle()
				testkit.Equal(t, "runs", f.states(), c.states)
				testkit.Equal(t, "visible reviews", len(f.host.Visible()), strings.Count(c.states, "completed"))
			})
		})
	}
}

func TestManyPullRequestsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for n := 2; n < 10; n++ {
			ev := f.event("opened", "a", func(pr *codehost.PullRequest) { pr.Number = n })
			f.send(ev)
		}
		f.settle()
		testkit.Equal(t, "runs", f.states(), strings.TrimSpace(strings.Repeat("completed ", 8)))
		testkit.Require(t, "visible reviews", len(f.host.Visible()), 8)
	})
}
