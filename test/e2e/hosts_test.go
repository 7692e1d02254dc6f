package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// A bug, a clean change and a planted secret, each one review.
func TestHostsOneReviewPerPullRequest(t *testing.T) {
	onHosts(t, func(t *testing.T, w *world) {
		bug, ok, leak := w.open("bug", buggy()), w.open("ok", clean()), w.open("leak", leaky())

		got := w.reviewed(bug.Number, 1)[0]
		if len(got.Comments) != 1 || got.Comments[0].Path != "price/mean.go" || got.Comments[0].Line != 5 || !strings.Contains(got.Comments[0].Body, bugTitle) {
			t.Fatalf("comments of the bug: %+v", got.Comments)
		}
		got = w.reviewed(ok.Number, 1)[0]
		if len(got.Comments) != 0 || !strings.Contains(got.Body, "nothing found") {
			t.Errorf("the clean change got: %q with %d comments", got.Body, len(got.Comments))
		}
		got = w.reviewed(leak.Number, 1)[0]
		if len(got.Comments) != 1 || got.Comments[0].Path != "config/keys.go" {
			t.Errorf("comments of the secret: %+v", got.Comments)
		}
		w.verify()
		if state, says := w.status(ok.HeadSHA); state != "success" {
			t.Errorf("status of the clean change: %s %q", state, says)
		}
		if state, says := w.status(leak.HeadSHA); state != "failure" {
			t.Errorf("status of the secret: %s %q", state, says)
		}
		w.noSecret()
	})
}

// The worker is killed while the host has a create that it then applies: the
// half-written review of the dead one is no part of what people see.
func TestHostsKilledAtCreateApplied(t *testing.T) {
	onHosts(t, func(_ *testing.T, w *world) { w.killedOn(createPath, simapi.Apply) })
}

// killedOn is killedAt for a service that runs already.
func (w *world) killedOn(path, decision string) {
	w.Helper()
	id := w.fault(simapi.Fault{Method: "POST", Path: path, Action: simapi.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(w.T, err)
	w.running.Signal(syscall.SIGKILL)
	must(w.T, w.host.Release(w.ctx, id, decision))
	w.running = w.again()
	w.reviewed(pr.Number, 1)
	w.verify()
	if got := w.oursOn(pr.Number); len(got) != 1 || len(got[0].Comments) != 1 {
		w.Errorf("%d visible reviews, want 1 with one comment: %+v", len(got), got)
	}
}
