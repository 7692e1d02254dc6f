package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/github/simclient"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/test/site"
)

var allRequests = simclient.RequestFilter{}

// While the key-value store is down, webhooks are acknowledged and jobs wait.
func TestKeyValueStoreDownAtIngest(t *testing.T) {
	on(t, servers, func(t *testing.T, w *world) {
		w.up()
		w.kv.Stop()
		pr := w.open("bug", buggy())
		must(t, w.host.WaitDeliveries(w.ctx, patience))
		if d := w.delivery("pull_request", "opened"); d.StatusCode != 202 {
			t.Fatalf("the webhook was answered %d while the key-value store was down", d.StatusCode)
		}
		w.kv.Start()
		w.reviewed(pr.Number, 1)
		w.verify()
	})
}

// The key-value store goes away in the middle of a review, and returns empty.
func TestKeyValueStoreEmptiedDuringWork(t *testing.T) {
	on(t, servers, func(t *testing.T, w *world) {
		w.up()
		held := w.modelFault(hang("generate"))
		first := w.open("bug", buggy())
		_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
		must(t, err)
		second := w.open("ok", clean())
		w.kv.Flush()
		w.kv.Stop()
		w.kv.Start()
		must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
		w.reviewed(first.Number, 1)
		w.reviewed(second.Number, 1)
		w.verify()
	})
}

// While the database is down, webhooks are refused. A redelivery succeeds.
func TestDatabaseDown(t *testing.T) {
	in(t, servers, stoppable, func(t *testing.T, w *world) {
		w.up()
		w.pg.Stop(testkit.Fast)
		pr := w.open("bug", buggy())
		must(t, w.host.WaitDeliveries(w.ctx, patience))
		d := w.delivery("pull_request", "opened")
		if d.StatusCode != 503 {
			t.Fatalf("the webhook was answered %d while the database was down", d.StatusCode)
		}
		w.pg.Start()
		testkit.Eventually(t, patience, func() (bool, string) {
			must(t, w.gh.Redeliver(w.ctx, d.ID, 1))
			must(t, w.host.WaitDeliveries(w.ctx, patience))
			got := w.delivery("pull_request", "opened")
			return got.StatusCode == 202, fmt.Sprintf("the redelivery was answered %d", got.StatusCode)
		})
		w.reviewed(pr.Number, 1)
		w.verify()
		if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}
	})
}

// stoppable is a world like [newWorld] with its own database server.
func stoppable(t *testing.T, s storage) *world {
	t.Helper()
	w := withShop(t, worldOf(t, scenarioTime, s, site.Options{Owner: "acme", Stoppable: true}), shop())
	if code := w.start("migrate", nil, "migrate").Wait(patience); code != 0 {
		t.Fatalf("migrate ended with %d", code)
	}
	return w
}

// The model stays down and the checks have findings: they are published, and the summary says that only
// the checks ran.
func TestModelDownWithDeterministicFindings(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.env["ASSAY_MODEL_WINDOW"] = "3s" // the model stays away
		w.up()
		w.modelFault(model.Fault{Action: model.Refuse, Times: -1})
		pr := w.open("leak", leaky())
		got := w.reviewed(pr.Number, 1)[0]
		if !strings.Contains(got.Body, "deterministic checks ran") {
			t.Errorf("the summary does not say that only checks ran: %q", got.Body)
		}
		w.verify()
	})
}

// The model stays down and there are no findings: the run fails visibly, and is not green. The next
// push is reviewed again.
func TestModelDownWithoutFindings(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		w.modelFault(model.Fault{Action: model.RateLimit, Times: -1})
		pr := w.open("ok", clean())
		if reason := w.state(pr.Number, "failed"); !strings.Contains(reason, "unavailable") {
			t.Errorf("reason: %q", reason)
		}
		if c, _ := w.conclusion(pr.HeadSHA); c == "success" {
			t.Error("a failed review is green")
		}
		must(t, w.model.ClearFaults(w.ctx))
		w.push("ok", buggy())
		if got := w.reviewed(pr.Number, 1); len(got) != 1 {
			t.Errorf("%d reviews after the next push", len(got))
		}
		w.verify()
	})
}

// The model returns within the window: one complete review.
func TestModelComesBack(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		w.modelFault(model.Fault{Action: model.Status, Status: 503, Times: 4})
		pr := w.open("bug", buggy())
		got := w.reviewed(pr.Number, 1)[0]
		if len(got.Comments) != 1 {
			t.Errorf("the review has %d comments, want the planted bug", len(got.Comments))
		}
		w.verify()
	})
}

// A rejected reasoning effort fails the run with the provider's own message.
func TestRejectedEffort(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		p := w.up()
		w.quiet()
		p.Kill()
		w.setEffort("high")
		w.again()
		w.modelFault(model.Fault{Action: model.RejectEffort, Times: -1})
		pr := w.open("bug", buggy())
		reason := w.state(pr.Number, "failed")
		if !strings.Contains(reason, "reasoning effort") || !strings.Contains(reason, "Unsupported value") {
			t.Errorf("the reason lacks the provider's message: %q", reason)
		}
		w.verify()
	})
}

// While the host does not answer with the account that the configuration names, the events of its
// installation wait, and they are not treated as a stranger's.
func TestHostDownWhileItsAccountIsAsked(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		_, err := w.host.SetFault(w.ctx, simapi.Fault{Method: "GET", Path: "^/app$", Times: -1, Action: simapi.Respond, Status: 502})
		must(t, err)
		w.up()
		pr := w.open("bug", buggy())
		must(t, w.host.WaitDeliveries(w.ctx, patience))
		testkit.Eventually(t, patience, func() (bool, string) {
			return w.count(`SELECT COUNT(*) FROM jobs WHERE kind = 'delivery.process' AND attempts > 0`) > 0, "no delivery attempt has failed"
		})
		must(t, w.host.ClearFaults(w.ctx))
		w.reviewed(pr.Number, 1)
		w.verify()
	})
}
