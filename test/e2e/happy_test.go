package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A bug, a clean change and a planted secret get one review each.
func TestOneReviewPerPullRequest(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		bug, ok, leak := w.open("bug", buggy()), w.open("ok", clean()), w.open("leak", leaky())

		got := w.reviewed(bug.Number, 1)[0]
		if len(got.Comments) != 1 || got.Comments[0].Path != "price/mean.go" || got.Comments[0].Line != 5 {
			t.Fatalf("comments of the bug: %+v", got.Comments)
		}
		if body := got.Comments[0].Body; !strings.Contains(body, bugTitle) || !strings.Contains(body, "```suggestion") {
			t.Errorf("the comment lacks title or suggestion:\n%s", body)
		}
		got = w.reviewed(ok.Number, 1)[0]
		if len(got.Comments) != 0 || lines(got.Body) > 2 || !strings.Contains(got.Body, "nothing found") {
			t.Errorf("the clean change got: %q with %d comments", got.Body, len(got.Comments))
		}
		got = w.reviewed(leak.Number, 1)[0]
		if len(got.Comments) != 1 || got.Comments[0].Path != "config/keys.go" {
			t.Errorf("comments of the secret: %+v", got.Comments)
		}
		w.verify()
		if c, title := w.conclusion(ok.HeadSHA); c != "success" {
			t.Errorf("check of the clean change: %s %q", c, title)
		}
		if c, title := w.conclusion(leak.HeadSHA); c != "failure" {
			t.Errorf("check of the secret: %s %q", c, title)
		}
		w.noSecret()
	})
}

// noSecret searches for the planted secret where it must not be: in writes to the host, in requests to
// a model, in the database.
func (w *world) noSecret() {
	w.Helper()
	key := strings.Split(leaky()["config/keys.go"], `"`)[1]
	for n := 1; n <= 3; n++ {
		reviews, err := w.host.Reviews(w.ctx, w.repo, n)
		must(w.T, err)
		if strings.Contains(fmt.Sprint(reviews), key) {
			w.Errorf("the secret was written to the host")
		}
	}
	w.noSecretStored()
}

// noSecretStored checks that no stored data of a review has the planted secret.
func (w *world) noSecretStored() {
	w.Helper()
	key := strings.Split(leaky()["config/keys.go"], `"`)[1]
	for _, table := range []string{"findings", "run_findings", "outputs", "publications", "run_stages"} {
		if strings.Contains(fmt.Sprint(w.query("SELECT * FROM "+table)), key) {
			w.Errorf("the secret is in the table %s", table)
		}
	}
}

// A redelivery is acknowledged and creates nothing.
func TestRedelivery(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		pr := w.open("bug", buggy())
		w.reviewed(pr.Number, 1)
		w.quiet()
		d := w.delivery("pull_request", "opened")
		must(t, w.gh.Redeliver(w.ctx, d.ID, 3))
		w.verify()
		if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 1 {
			t.Errorf("%d runs after redelivery, want 1", n)
		}
		if n := w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE event = 'pull_request'`); n != 1 {
			t.Errorf("%d rows of the delivery, want 1", n)
		}
	})
}

// The same delivery arrives 50 times at the same time, at two API processes.
func TestStormOfOneDelivery(t *testing.T) {
	on(t, servers, func(t *testing.T, w *world) {
		w.up()
		second := testkit.FreePort(t)
		w.api(second)
		w.worker()
		pr := w.open("bug", buggy())
		d := w.delivery("pull_request", "opened")
		var wg sync.WaitGroup
		codes := make([]int, 50)
		for i := range codes {
			wg.Go(func() {
				// On a busy machine the database may be too slow for 50 concurrent deliveries: a
				// refused copy is sent again.
				for codes[i] = http.StatusServiceUnavailable; codes[i] == http.StatusServiceUnavailable && w.ctx.Err() == nil; {
					codes[i] = w.post([]int{w.port, second}[i%2], d)
				}
			})
		}
		wg.Wait()
		for i, c := range codes {
			if c != http.StatusAccepted {
				t.Errorf("copy %d was answered %d", i, c)
			}
		}
		w.reviewed(pr.Number, 1)
		w.verify()
		if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}
	})
}

// A push while a run is under way: the newer head wins, and no review of the
// older one appears.
func TestPushDuringRun(t *testing.T) { on(t, journeys, pushDuringRun) }

func pushDuringRun(t *testing.T, w *world) {
	w.worked()
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	head := w.push("bug", map[string]string{"price/extra.go": "package price\n\n// Extra is one more constant.\nconst Extra = 1\n"})
	testkit.Eventually(t, patience, func() (bool, string) {
		n := w.count(`SELECT COUNT(*) FROM review_runs WHERE state = 'superseded'`)
		return n == 1, fmt.Sprintf("%d superseded runs", n)
	})
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	got := w.reviewed(pr.Number, 1)
	w.verify()
	if len(got) != 1 || got[0].CommitID != head {
		t.Errorf("reviews: %d, of %q, want one of %q", len(got), got[0].CommitID, head)
	}
}

// A second push: only new findings are reported, the summary is edited in place, and a finding whose
// code is fixed is resolved.
func TestSecondPushResolves(t *testing.T) { on(t, journeys, secondPushResolves) }

func secondPushResolves(t *testing.T, w *world) {
	w.worked()
	pr := w.open("bug", buggy())
	first := w.reviewed(pr.Number, 1)[0]
	w.quiet()
	w.push("bug", fixed())
	got := w.reviewed(pr.Number, 2)
	w.verify()
	if len(got[1].Comments) != 0 {
		t.Errorf("the fixed push got comments: %+v", got[1].Comments)
	}
	if !strings.Contains(got[1].Body, "1 of 1") {
		t.Errorf("the second review does not say what was resolved: %q", got[1].Body)
	}
	after, err := w.host.Reviews(w.ctx, w.repo, pr.Number)
	must(t, err)
	if after[0].ID != first.ID || after[0].Body == first.Body {
		t.Errorf("the summary was not edited in place: %q", after[0].Body)
	}
	comments := after[0].Comments
	if len(comments) != 1 || !strings.Contains(comments[0].Body, "Resolved") {
		t.Errorf("the comment of the resolved finding: %+v", comments)
	}
}
