package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model"
)

func hang(stage string) model.Fault {
	return model.Fault{Action: model.Hang, Match: model.Match{Stage: stage}, Times: 1}
}

// createPath and submitPath are the paths for creating and submitting a draft. GitHub submits below the
// review, other hosts at the review itself.
const (
	createPath = `/pulls/\d+/reviews$`
	submitPath = `/pulls/\d+/reviews/\d+(/events)?$`
)

// kill kills a process with SIGKILL and starts its successor.
func (w *world) kill(p interface{ Signal(syscall.Signal) }) {
	w.Helper()
	p.Signal(syscall.SIGKILL)
	w.again()
}

// killedAt is [world.killedWhile] with a successor, which publishes the review.
func (w *world) killedAt(path, decision string) {
	w.Helper()
	pr := w.killedWhile(path, decision)
	w.again()
	w.reviewed(pr.Number, 1)
	w.verify()
}

// killedWhile opens a pull request, waits until the host holds a request, kills
// the worker, and then lets the request through or drops it.
func (w *world) killedWhile(path, decision string) simapi.Pull {
	w.Helper()
	p := w.worked()
	id := w.fault(simapi.Fault{Method: "POST", Path: path, Action: simapi.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(w.T, err)
	p.Signal(syscall.SIGKILL)
	p.Wait(patience)
	must(w.T, w.host.Release(w.ctx, id, decision))
	return pr
}

func TestKilledDuringGeneration(t *testing.T) { on(t, both, killedDuringGeneration) }

func killedDuringGeneration(t *testing.T, w *world) {
	p := w.worked()
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	w.kill(p)
	w.reviewed(pr.Number, 1)
	w.verify()
}

func TestKilledAtCreateApplied(t *testing.T) {
	on(t, kills, func(_ *testing.T, w *world) { w.killedAt(createPath, simapi.Apply) })
}

func TestKilledAtCreateDropped(t *testing.T) {
	on(t, kills, func(_ *testing.T, w *world) { w.killedAt(createPath, simapi.Drop) })
}

// Between create and submit: the draft exists, and its id is stored or not.
func TestKilledBetweenCreateAndSubmit(t *testing.T) {
	on(t, kills, func(_ *testing.T, w *world) { w.killedAt(submitPath, simapi.Drop) })
}

// After the submit took effect and before it was recorded.
func TestKilledAfterSubmit(t *testing.T) {
	on(t, kills, func(_ *testing.T, w *world) { w.killedAt(submitPath, simapi.Apply) })
}

// The draft is applied long after its sender died and its successor looked.
func TestDraftAppliedLate(t *testing.T) { on(t, kills, draftAppliedLate) }

func draftAppliedLate(t *testing.T, w *world) {
	p := w.worked()
	id := w.fault(simapi.Fault{Method: "POST", Path: createPath, Action: simapi.ApplyLate, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 0, patience)
	must(t, err)
	w.kill(p)
	w.reviewed(pr.Number, 1)
	must(t, w.host.Release(w.ctx, id, simapi.Apply))
	w.quiet()
	if got, err := w.host.VisibleReviews(w.ctx, w.repo, pr.Number); err != nil || len(got) != 1 {
		t.Errorf("%d visible reviews (%v), want 1", len(got), err)
	}
}

// The host applies the write and answers 500.
func TestAppliedThenServerError(t *testing.T) { on(t, journeys, appliedThenServerError) }

func appliedThenServerError(_ *testing.T, w *world) {
	w.worked()
	w.fault(simapi.Fault{Method: "POST", Path: createPath, Action: simapi.ApplyThenStatus, Times: 1})
	w.fault(simapi.Fault{Method: "POST", Path: submitPath, Action: simapi.ApplyThenReset, Times: 1})
	pr := w.open("bug", buggy())
	w.reviewed(pr.Number, 1)
	w.verify()
}

// A secondary limit stops everything until it is over.
func TestSecondaryLimit(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		w.fault(simapi.Fault{Method: "POST", Path: createPath, Action: simapi.SecondaryRetryAfter, RetrySeconds: 8, Times: 1})
		pr := w.open("bug", buggy())
		w.reviewed(pr.Number, 1)
		w.verify()
		requests, err := w.host.Requests(w.ctx, allRequests)
		must(t, err)
		var blocked int64
		for _, r := range requests {
			switch {
			case r.Status == 403 && r.FaultID != "":
				blocked = r.RepliedUS
			case blocked != 0 && r.ArrivedUS > blocked && r.ArrivedUS < blocked+7_500_000 && strings.HasPrefix(r.Path, "/repos"):
				t.Errorf("%s %s was sent %d ms after the block began", r.Method, r.Path, (r.ArrivedUS-blocked)/1000)
			}
		}
		if blocked == 0 {
			t.Error("the limit was never met")
		}
	})
}
