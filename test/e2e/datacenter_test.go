package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	bucketapi "github.com/assay-dev/assay/sim/bitbucket/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// dataCenterWorld is a world with a simulated Bitbucket Data Center. The service runs, and a connection of the tenant
// to the project acme has registered its webhooks.
func dataCenterWorld(t *testing.T, s storage, doubts ...bucketapi.Doubt) *world {
	t.Helper()
	w := unconnected(t, s, site.Options{Owner: "acme", Kind: domain.BitbucketDataCenter})
	must(t, w.bitbucket.Configure(w.ctx, bucketapi.Settings{Doubts: switched(doubts)}))
	w.connect(domain.BitbucketDataCenter)
	return w
}

// onDataCenter runs a scenario in a [dataCenterWorld].
func onDataCenter(t *testing.T, scenario func(t *testing.T, w *world)) {
	t.Helper()
	in(t, featureKills, func(t *testing.T, s storage) *world { return dataCenterWorld(t, s) }, scenario)
}

// TestHostsDataCenter runs the additional scenarios of make hosts, most of which Bitbucket Cloud has, too.
func TestHostsDataCenter(t *testing.T) {
	if !allHosts() {
		t.Skip("make hosts runs these scenarios (ASSAY_HOSTS=all)")
	}
	t.Parallel()
	for name, scenario := range map[string]func(t *testing.T, w *world){
		"a push that fixes":         reviewedTwice,
		"a forced push":             forcedPush,
		"a push during a run":       pushDuringReview,
		"a pull request of a fork":  forkOnBitbucket,
		"commands":                  commandsOnHosts,
		"a webhook that was lost":   lostWebhook,
		"a secret":                  secretOnBitbucket,
		"declined":                  declined,
		"killed during generation":  generationKilled,
		"the connection is deleted": connectionDeletedOnBitbucket,
		"the token is taken back":   tokenRefusedOnBitbucket,
		"a repository that changes": repositoryChanges,
		"late edits":                lateEdits,
	} {
		t.Run(name, func(t *testing.T) { onDataCenter(t, scenario) })
	}
}

// A pull request gets one review: comments on its lines, a summary, a build status. A push gets another one.
func TestDataCenterReviews(t *testing.T) {
	onDataCenter(t, func(t *testing.T, w *world) {
		pr := w.open("bug", buggy())
		got := inline(w.said(pr.Number, 1))
		w.whole(pr.Number)
		if len(got) == 0 {
			t.Error("no comment on a line")
		}
		list, err := w.bitbucket.Statuses(w.ctx, w.repo)
		must(t, err)
		if len(list) == 0 || list[len(list)-1].State == "INPROGRESS" {
			t.Errorf("build statuses %+v", list)
		}
	})
}

// A host that keeps no comment pending shows the comments one by one.
func TestDataCenterWithoutPendingComments(t *testing.T) {
	in(t, oneOf(embedded), func(t *testing.T, s storage) *world { return dataCenterWorld(t, s, bucketapi.NoPending) }, func(t *testing.T, w *world) {
		pr := w.open("bug", buggy())
		w.said(pr.Number, 1)
		w.whole(pr.Number)
	})
}

// The calls of a review whose answers are lost.
var dataCenterWrites = map[string]shared.Fault{
	"a comment":        {Method: "POST", Path: `/pull-requests/\d+/comments$`},
	"finishing":        {Method: "PUT", Path: `/pull-requests/\d+/review$`},
	"a build status":   {Method: "POST", Path: `/commits/[0-9a-f]+/builds$`},
	"a report":         {Method: "PUT", Path: `/reports/`},
	"the last comment": {Method: "POST", Path: `/pull-requests/\d+/comments$`, Nth: 2},
}

// Each write of a review is applied although its answer is lost, or its sender is killed: the review is there once.
func TestHostsDataCenterLosesAnswers(t *testing.T) {
	if !allHosts() {
		t.Skip("make hosts runs these scenarios (ASSAY_HOSTS=all)")
	}
	for name, f := range dataCenterWrites {
		for _, action := range []string{shared.ApplyThenStatus, shared.ApplyThenReset, shared.ApplyThenHang} {
			t.Run(name+"/"+action, func(t *testing.T) {
				onDataCenter(t, func(t *testing.T, w *world) {
					p := w.worked()
					f.Action, f.Times = action, 1
					id := w.fault(f)
					pr := w.open("bug", buggy())
					if action == shared.ApplyThenHang {
						_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
						must(t, err)
						w.kill(p)
					}
					w.said(pr.Number, 1)
					w.whole(pr.Number)
				})
			})
		}
	}
}

// Deliveries without the right signature are refused.
func TestDataCenterRefusesForgedDeliveries(t *testing.T) {
	onDataCenter(t, func(t *testing.T, w *world) {
		for _, signature := range []string{"", "sha256=", "sha256=" + strings.Repeat("0", 64)} {
			req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url(w.hooks), strings.NewReader(`{"eventKey":"pr:opened"}`))
			must(t, err)
			req.Header.Set("X-Event-Key", "pr:opened")
			req.Header.Set("X-Request-Id", "6f1f2f7c-0000-4000-8000-000000000001")
			if signature != "" {
				req.Header.Set("X-Hub-Signature", signature)
			}
			resp, err := http.DefaultClient.Do(req)
			must(t, err)
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
				t.Errorf("signature %q: %d", signature, resp.StatusCode)
			}
		}
	})
}
