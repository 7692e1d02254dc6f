package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
)

// mergedPulls is the number of pull requests in the scenario's dry run.
var mergedPulls = sized(3, 10)

// tried is the part of a dry run in the interface that the scenario reads.
type tried struct {
	ID, State, Reason string
	Result            struct {
		Totals struct {
			Completed, Compared, Gone, New int
			CostMicros                     *int64
			Calls                          int64
		}
		PullRequests []struct {
			Number           int
			State, PullState string
			Published        *struct{ Gone []struct{ Title string } }
		}
	}
}

// merged reviews and merges pull requests, each with a fault in a different file, and returns their
// numbers.
func (w *world) merged() (numbers []int) {
	w.Helper()
	var planted []script.Planted
	for i := range mergedPulls {
		planted = append(planted, script.Planted{Path: fmt.Sprintf("price/mean%d.go", i), LineContains: fmt.Sprintf("return Sum(prices) / len(prices) // %d", i), Title: bugTitle,
			Explanation: "With no prices the length is 0.", Trigger: "no prices", Category: "bug", RuleKey: "division-by-zero", Severity: "high"})
	}
	must(w.T, w.model.SetRules(w.ctx, script.ForPlanted(planted)))
	for i := range mergedPulls {
		pr := w.open(fmt.Sprint("mean", i), map[string]string{fmt.Sprintf("price/mean%d.go", i): fmt.Sprintf("package price\n\n// Mean%d is the average price.\nfunc Mean%d(prices []int) int {\n\treturn Sum(prices) / len(prices) // %d\n}\n", i, i, i)})
		numbers = append(numbers, pr.Number)
	}
	for _, n := range numbers {
		w.reviewed(n, 1)
	}
	w.quiet()
	for _, n := range numbers {
		_, err := w.host.UpdatePull(w.ctx, w.repo, n, simapi.PullUpdate{State: "merged"})
		must(w.T, err)
	}
	w.quiet()
	return numbers
}

// A dry run of merged pull requests with a stricter policy reports which findings would be gone, writes
// nothing to the host, and continues where its worker died.
func TestDryRunOfMergedPullRequests(t *testing.T) { on(t, featureKills, dryRunOfMerged) }

func dryRunOfMerged(t *testing.T, w *world) {
	p := w.worked()
	numbers := w.merged()
	writes, err := w.host.Writes(w.ctx, 0)
	must(t, err)
	boss := w.admin()
	repository := w.repository()
	path := "/api/tenants/" + boss.tenant() + "/repositories/" + repository
	read := func(id string) (got tried) {
		boss.as.Get(path+"/dry-runs/"+id, &got)
		return got
	}

	held := w.modelFault(model.Fault{Action: model.Hang, Match: model.Match{Stage: "verify"}, Times: 1})
	var made tried
	boss.as.Send(http.MethodPost, path+"/dry-runs", map[string]any{"last": mergedPulls, "label": "stricter", "overrides": map[string]any{"policy": map[string]any{"minSeverity": "critical"}}}, http.StatusAccepted, &made)
	_, err = w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	p.Signal(syscall.SIGKILL)
	w.again()
	testkit.Eventually(t, patience, func() (bool, string) {
		got := read(made.ID)
		return got.State != "queued" && got.State != "running", fmt.Sprintf("the dry run is %s, %d are done", got.State, got.Result.Totals.Completed)
	})
	got := read(made.ID)
	testkit.Equal(t, "state: "+got.Reason, got.State, "completed")
	testkit.Equal(t, "completed, compared, gone, new", fmt.Sprint(got.Result.Totals.Completed, got.Result.Totals.Compared, got.Result.Totals.Gone, got.Result.Totals.New), fmt.Sprint(mergedPulls, mergedPulls, mergedPulls, 0))
	testkit.Require(t, "pull requests", len(got.Result.PullRequests), mergedPulls)
	for i, r := range got.Result.PullRequests {
		testkit.Equal(t, "number", r.Number, numbers[len(numbers)-1-i])
		testkit.Equal(t, "state at the host", r.PullState, "merged")
		testkit.Require(t, "gone", r.Published != nil && len(r.Published.Gone) == 1, true)
		testkit.Equal(t, "title", r.Published.Gone[0].Title, bugTitle)
	}

	// No answer was paid for twice: each pull request and stage has as many as the others.
	stages := map[string]string{}
	for _, row := range w.query(`SELECT run_id, stage, COUNT(*) FROM llm_calls WHERE run_kind = 'dry_run' AND outcome = 'ok' GROUP BY run_id, stage`) {
		if n, seen := stages[row[1]]; seen && n != row[2] {
			t.Errorf("stage %s was answered %s times for %s, and %s times for another", row[1], row[2], row[0], n)
		}
		stages[row[1]] = row[2]
	}

	// The calls are counted by their kind.
	sums := w.query(`SELECT run_kind, COUNT(*) FROM llm_calls GROUP BY run_kind ORDER BY run_kind`)
	testkit.Equal(t, "kinds of runs with calls", fmt.Sprintf("%d %s", len(sums), sums[0][0]), "2 dry_run")
	testkit.Equal(t, "calls", fmt.Sprint(got.Result.Totals.Calls), sums[0][1])

	// A running dry run is cancelled, and its model call is cut off.
	held = w.modelFault(model.Fault{Action: model.Hang, Match: model.Match{Stage: "generate"}, Times: 1})
	boss.as.Send(http.MethodPost, path+"/dry-runs", map[string]any{"pullRequests": numbers[:2], "overrides": map[string]any{"policy": map[string]any{"profile": "assertive"}}}, http.StatusAccepted, &made)
	_, err = w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	var cancelled tried
	boss.as.Send(http.MethodPost, path+"/dry-runs/"+made.ID+"/cancel", nil, http.StatusOK, &cancelled)
	testkit.Equal(t, "state", cancelled.State, "cancelled")
	boss.as.Send(http.MethodPost, path+"/dry-runs/"+made.ID+"/cancel", nil, http.StatusConflict, nil)
	testkit.Eventually(t, patience, func() (bool, string) {
		rows := w.query(`SELECT state FROM jobs WHERE kind = 'dryrun.run' AND state <> 'done'`)
		return len(rows) == 0, fmt.Sprintf("jobs of dry runs: %v", rows)
	})
	testkit.Equal(t, "state in the end", read(made.ID).State, "cancelled")

	after, err := w.host.Writes(w.ctx, 0)
	must(t, err)
	var more []string
	for _, x := range after[len(writes):] {
		if strings.HasPrefix(x.Actor, "assay") {
			more = append(more, fmt.Sprint(x))
		}
	}
	if len(more) > 0 {
		t.Errorf("dry runs have written to the host: %v", more)
	}
	if audited := w.query(`SELECT COUNT(*) FROM audit_entries WHERE action IN ('dry-run.create', 'dry-run.cancel')`); len(audited) > 0 {
		testkit.Equal(t, "entries of the audit log", audited[0][0], "3")
	}
}
