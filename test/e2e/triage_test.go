package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// The worker dies while the host holds the labels that it sets. The host applies them or not, the
// delivery comes twice, and a person removes one: each label is set once.
func TestKilledWhileLabelling(t *testing.T) {
	for _, decision := range []string{simapi.Apply, simapi.Drop} {
		t.Run(decision, func(t *testing.T) {
			on(t, featureKills, func(t *testing.T, w *world) { killedWhileLabelling(t, w, decision) })
		})
	}
}

func killedWhileLabelling(t *testing.T, w *world, decision string) {
	p := w.worked()
	w.policy(`{"triageLabels":true,"triageLabelNames":["size/XS","kind: feature","kind: docs"]}`)
	id := w.fault(simapi.Fault{Method: "POST", Path: `/issues/\d+/labels$`, Action: simapi.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(t, err)
	p.Signal(syscall.SIGKILL)
	p.Wait(patience)
	must(t, w.host.Release(w.ctx, id, decision))
	w.aged() // the answer to the check run may be lost, too
	w.again()
	set := func(want int) {
		t.Helper()
		testkit.Eventually(t, patience, func() (bool, string) {
			got := w.query(`SELECT label, state, reason FROM triage_labels ORDER BY label`)
			n := w.count(`SELECT COUNT(*) FROM triage_labels WHERE state = 'set'`)
			return n == want && len(got) == want, fmt.Sprintf("labels %v, jobs %v", got, w.query(`SELECT kind, state, last_error FROM jobs WHERE kind LIKE 'triage%'`))
		})
	}
	set(2)
	w.reviewed(pr.Number, 1)
	w.quiet()
	if code := w.post(w.port, w.delivery("pull_request", "opened")); code != 202 {
		t.Fatalf("the delivery came again: %d", code)
	}
	_, err = w.host.UpdatePull(w.ctx, w.repo, pr.Number, simapi.PullUpdate{Unlabel: []string{"size/XS"}})
	must(t, err)
	w.push("bug", fixed())
	w.reviewed(pr.Number, 1)
	w.quiet()
	set(2)
	writes, err := w.host.Writes(w.ctx, 0)
	must(t, err)
	labels := 0
	for _, x := range writes {
		if x.Kind == "label" && strings.HasPrefix(x.Actor, "assay") {
			labels++
		}
	}
	if labels != 1 {
		t.Errorf("%d writes of labels took effect, want 1", labels)
	}
	got := w.query(`SELECT t.state, t.size, t.kind, t.depth, t.run_id = r.id FROM triage_runs t LEFT JOIN review_runs r ON r.head_sha = t.head_sha AND r.number = t.number AND r.tier = t.depth ORDER BY t.created_us`)
	if len(got) != 2 || got[0][0] != "completed" || got[0][1] != "xs" || got[0][2] != "feature" {
		t.Errorf("triage runs %v", got)
	}
	w.verify()
}
