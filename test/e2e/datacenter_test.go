package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
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

// dataCenterNotes waits until a pull request has n summaries of the service, and returns all its visible comments.
func (w *world) dataCenterNotes(number, n int) (got []shared.Comment) {
	w.Helper()
	testkit.Eventually(w.T, 2*patience, func() (bool, string) { // a lost answer takes a while
		got = nil
		all, err := w.bitbucket.Notes(w.ctx, w.repo, number)
		summaries := 0
		for _, c := range all {
			if c.User != account {
				continue
			}
			got = append(got, c)
			if c.Path == "" && strings.Contains(c.Body, "assay:pub=") {
				summaries++
			}
		}
		return err == nil && summaries >= n, fmt.Sprintf("%d summaries on #%d, want %d (%v)", summaries, number, n, err)
	})
	return got
}

// wholeDataCenter checks that no finding is visible twice, and that no delivery is lost.
func (w *world) wholeDataCenter(number, summaries int) {
	w.Helper()
	w.quiet()
	if n := w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition IS NULL OR disposition = 'failed'`); n != 0 {
		w.Errorf("%d deliveries are lost or failed: %v", n, w.query(`SELECT event, action, disposition, reason FROM webhook_deliveries`))
	}
	seen, found := map[string]bool{}, 0
	for _, c := range w.dataCenterNotes(number, summaries) {
		if c.Path == "" {
			found++
		}
		if m := markOfFinding.FindStringSubmatch(c.Body); m != nil {
			if seen[m[1]] {
				w.Errorf("the comment of finding %s is visible twice", m[1])
			}
			seen[m[1]] = true
		}
		if strings.Contains(c.Body, "<!--") {
			w.Errorf("people see an HTML comment in %q", c.Body)
		}
	}
	if found != summaries {
		w.Errorf("%d summaries, want %d", found, summaries)
	}
}

// A pull request gets one review: comments on its lines, a summary, a build status. A push gets another one.
func TestDataCenterReviews(t *testing.T) {
	in(t, oneOf(embedded), func(t *testing.T, s storage) *world { return dataCenterWorld(t, s) }, func(t *testing.T, w *world) {
		pr := w.open("bug", buggy())
		got := inline(w.dataCenterNotes(pr.Number, 1))
		w.wholeDataCenter(pr.Number, 1)
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
		w.dataCenterNotes(pr.Number, 1)
		w.wholeDataCenter(pr.Number, 1)
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
				in(t, oneOf(embedded), func(t *testing.T, s storage) *world { return dataCenterWorld(t, s) }, func(t *testing.T, w *world) {
					p := w.worked()
					f.Action, f.Times = action, 1
					id := w.fault(f)
					pr := w.open("bug", buggy())
					if action == shared.ApplyThenHang {
						_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
						must(t, err)
						w.kill(p)
					}
					w.dataCenterNotes(pr.Number, 1)
					w.wholeDataCenter(pr.Number, 1)
				})
			})
		}
	}
}

// Deliveries without the right signature are refused.
func TestDataCenterRefusesForgedDeliveries(t *testing.T) {
	in(t, oneOf(embedded), func(t *testing.T, s storage) *world { return dataCenterWorld(t, s) }, func(t *testing.T, w *world) {
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
