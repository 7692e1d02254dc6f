package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A private repository is renamed during its review without a webhook, and a public one takes its name,
// with a pull request of the same number and commits. The review is not published there.
func TestHostsNameTaken(t *testing.T) { onHosts(t, domain.Forgejo, nameTaken) }

func nameTaken(t *testing.T, w *world) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	private := ""
	propose := func(public bool) (pr shared.Pull) {
		t.Helper()
		made, err := w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme", Name: "secret", Files: baseFiles(), Public: public, At: at, Author: "dev", Collaborators: map[string]string{"dev": "write"}})
		must(t, err)
		_, err = w.host.Commit(w.ctx, "acme/secret", shared.CommitSpec{Branch: "bug", From: "main", Files: buggy(), Message: "change", Author: "dev", At: at})
		must(t, err)
		if !public {
			private = fmt.Sprintf(`FROM review_runs r JOIN repositories h ON h.id = r.repository_id LEFT JOIN publications p ON p.run_id = r.id WHERE h.external_id = %d`, made.ID)
			w.boss.as.Send(http.MethodPost, w.at()+"/sync", nil, http.StatusAccepted, nil)
			w.synced()
		}
		pr, err = w.host.OpenPull(w.ctx, "acme/secret", shared.PullSpec{Title: "Change", Head: "bug", Author: "dev"})
		must(t, err)
		return pr
	}
	held := w.modelFault(hang("generate"))
	pr := propose(false)
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	_, err = w.host.SetDeliveryFault(w.ctx, shared.DeliveryFault{Action: shared.DropDelivery, Times: -1})
	must(t, err)
	w.repo = "acme/secret"
	w.change(repoChange{Name: "hidden"})
	twin := propose(true)
	if twin.Number != pr.Number || twin.HeadSHA != pr.HeadSHA {
		t.Fatalf("the public pull request is %+v, want one like %+v: this tries nothing", twin, pr)
	}
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	testkit.Eventually(t, 2*patience, func() (bool, string) {
		runs := w.query(`SELECT r.state, r.reason ` + private)
		return len(runs) == 1 && slices.Contains([]string{"completed", "failed", "cancelled"}, runs[0][0]), fmt.Sprintf("the runs are %v; jobs %v", runs, w.query(`SELECT kind, state, last_error FROM jobs WHERE state IN ('queued', 'running')`))
	})
	publication := w.query(`SELECT p.id ` + private)[0][0]
	if got := w.marks(pr.Number); slices.Contains(got, publication) { // the public one may have its own review by now
		t.Errorf("the public repository shows the review of the private one: %v", got)
	}
	w.repo = "acme/hidden"
	testkit.Equal(t, "reviews of the private repository", fmt.Sprint(w.marks(pr.Number)), fmt.Sprint([]string{publication}))
}
