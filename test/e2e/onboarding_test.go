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

// onboarded is the part of an onboarding in the interface that the scenario reads.
type onboarded struct {
	ID, State, Reason, DryRunID string
	Proposal                    *struct {
		MergedPullRequests, LookedAt, Failed, Inline int
		Note                                         string
		CostMicros                                   *int64
		PullRequestsPerWeek                          *float64
	}
}

// history gives a repository merged pull requests, each with a fault, before the service
// knows it.
func (w *world) history(n int) {
	w.Helper()
	var planted []script.Planted
	for i := range n {
		planted = append(planted, script.Planted{Path: fmt.Sprintf("price/mean%d.go", i), LineContains: fmt.Sprintf("return Sum(prices) / len(prices) // %d", i), Title: bugTitle,
			Explanation: "With no prices the length is 0.", Trigger: "no prices", Category: "bug", RuleKey: "division-by-zero", Severity: "high"})
	}
	must(w.T, w.model.SetRules(w.ctx, script.ForPlanted(planted)))
	for i := range n {
		pr := w.open(fmt.Sprint("mean", i), map[string]string{fmt.Sprintf("price/mean%d.go", i): mean(i)})
		_, err := w.host.UpdatePull(w.ctx, w.repo, pr.Number, simapi.PullUpdate{State: "merged"})
		must(w.T, err)
	}
}

func mean(i int) string {
	return fmt.Sprintf("package price\n\n// Mean%d is the average price.\nfunc Mean%d(prices []int) int {\n\treturn Sum(prices) / len(prices) // %d\n}\n", i, i, i)
}

// wrote returns the writes of the service on the host.
func (w *world) wrote() (out []string) {
	w.Helper()
	all, err := w.host.Writes(w.ctx, 0)
	must(w.T, err)
	for _, x := range all {
		if strings.HasPrefix(x.Actor, "assay") {
			out = append(out, fmt.Sprint(x))
		}
	}
	return out
}

// A new repository is tried out on merged pull requests, by a worker that is killed once. Nothing is
// written to the host before a person accepts, and its pull requests are reviewed from then on.
func TestOnboardingOfANewRepository(t *testing.T) { on(t, featureKills, onboardingOfNew) }

func onboardingOfNew(t *testing.T, w *world) {
	const merged = 3
	p := w.up()
	boss := w.admin()
	w.quiet()
	tenant := "/api/tenants/" + boss.tenant()
	boss.send(http.MethodPut, tenant+"/repository-defaults", map[string]string{"reviewNewRepositories": "onboarding"})
	w.account("fresh", 1)
	w.repo = "fresh/repo0"
	w.history(merged)
	before := len(w.wrote())

	held := w.modelFault(model.Fault{Action: model.Hang, Match: model.Match{Stage: "verify"}, Times: 1})
	w.installed("fresh")
	boss.place()
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	p.Signal(syscall.SIGKILL)
	w.again()

	at := ""
	testkit.Eventually(t, patience, func() (bool, string) {
		rows := w.query(`SELECT r.id, o.state FROM repositories r JOIN onboardings o ON o.repository_id = r.id WHERE r.owner = 'fresh'`)
		if len(rows) != 1 {
			return false, fmt.Sprintf("onboardings: %v", rows)
		}
		at = tenant + "/repositories/" + rows[0][0]
		return rows[0][1] == "proposed", "it is " + rows[0][1]
	})
	var got onboarded
	boss.as.Get(at+"/onboarding", &got)
	testkit.Require(t, "proposed", got.Proposal != nil, true)
	testkit.Equal(t, "merged, looked at, failed, inline", fmt.Sprint(got.Proposal.MergedPullRequests, got.Proposal.LookedAt, got.Proposal.Failed, got.Proposal.Inline), fmt.Sprint(merged, merged, 0, merged))
	stages := map[string]string{}
	for _, row := range w.query(`SELECT run_id, stage, COUNT(*) FROM llm_calls WHERE run_kind = 'dry_run' AND outcome = 'ok' GROUP BY run_id, stage`) {
		if n, seen := stages[row[1]]; seen && n != row[2] {
			t.Errorf("stage %s was answered %s times for %s, and %s times for another", row[1], row[2], row[0], n)
		}
		stages[row[1]] = row[2]
	}
	var inbox struct{ Items []struct{ Kind, ID string } }
	boss.as.Get(tenant+"/inbox", &inbox)
	testkit.Equal(t, "inbox", fmt.Sprint(inbox.Items), fmt.Sprintf("[{onboarding %s}]", got.ID))

	pr := w.open("bug", buggy())
	w.quiet()
	rows := w.query(`SELECT disposition, reason FROM webhook_deliveries WHERE event = 'pull_request' AND reason LIKE '%tried out%'`)
	testkit.Equal(t, "deliveries that were ignored for it", len(rows), 1)
	testkit.Equal(t, "runs before it is accepted", w.count(`SELECT COUNT(*) FROM review_runs`), 0)
	if more := w.wrote()[before:]; len(more) > 0 {
		t.Errorf("it was not accepted, and the service has written: %v", more)
	}

	boss.send(http.MethodPost, at+"/onboarding/accept", map[string]any{"note": "Quiet enough.", "policy": map[string]any{"minSeverity": "low"}})
	boss.as.Send(http.MethodPost, at+"/onboarding/decline", map[string]any{}, http.StatusConflict, nil)
	head := w.push("bug", map[string]string{"price/mean0.go": mean(0) + "\n// More of it.\n"})
	w.reviewed(pr.Number, 1)
	w.quiet()
	testkit.Equal(t, "published reviews of the push", w.count(fmt.Sprintf(`SELECT COUNT(*) FROM review_runs WHERE head_sha = '%s' AND state = 'completed'`, head)), 1)
	w.verify()
}
