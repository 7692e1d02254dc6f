package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
	"github.com/assay-dev/assay/test/site"
)

// A repository becomes public during the review of a change, and the host's webhook is lost. Text of
// the change's issue is in no later review, and is removed from the existing summary.
func TestHostsRepositoryBecomesPublic(t *testing.T) {
	t.Parallel()
	w := hostWorldOf(t, embedded, site.Options{Owner: "acme", Kind: domain.Gitea, Tracker: string(trackerapi.JiraServer)})
	w.trackedIssue()
	w.trackedBy(w.boss, "jira", "none")
	const secret = "The mean of an empty list is 0"
	pr := w.open("pay-1-mean", buggy())
	w.told(pr.Number, 1)
	w.quiet()
	shown := func() string {
		t.Helper()
		all, err := w.gitea.Shown(w.ctx, w.repo, pr.Number, account)
		must(t, err)
		return strings.Join(all, "\n")
	}
	if text := shown(); !strings.Contains(text, secret) {
		t.Fatalf("the issue is not shown while the repository is private: %s", text)
	}
	held := w.modelFault(hang("generate"))
	more := buggy()
	more["price/note.go"] = "package price\n\n// Note says what prices are.\nconst Note = \"in cents, before tax\"\n"
	w.push("pay-1-mean", more)
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	_, err = w.host.SetDeliveryFault(w.ctx, shared.DeliveryFault{Action: shared.DropDelivery, Times: -1})
	must(t, err)
	public := false
	w.change(repoChange{Private: &public})
	w.exec(`UPDATE repositories SET visible_us = visible_us - 61000000`) // the host's last answer is older than a minute
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	w.told(pr.Number, 2)
	testkit.Eventually(t, patience, func() (bool, string) {
		text := shown()
		return !strings.Contains(text, secret), fmt.Sprintf("it shows %s", text)
	})
	w.quiet()
	if text := shown(); strings.Contains(text, secret) || strings.Contains(text, ticketTitle) {
		t.Errorf("text of the issue is public: %s", text)
	}
}
