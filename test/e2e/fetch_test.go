package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// A git fetch is under way for longer than a lease when a request of another pull request hits a limit.
// No request follows before the end of the limit, and git's requests count, too.
func TestNoFetchDuringABlock(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		const seconds = 8
		held := w.fault(simapi.Fault{Method: "GET", Path: `/info/refs$`, Action: simapi.Hold, Times: 1})
		first := w.open("bug", buggy())
		_, err := w.host.AwaitFault(w.ctx, held, 1, 1, patience)
		must(t, err)
		w.fault(simapi.Fault{Method: "GET", Path: `/repos/acme/shop/pulls/\d+$`, Action: simapi.SecondaryRetryAfter, RetrySeconds: seconds, Times: 1})
		second := w.open("ok", clean())
		// The second pull request tried its requests: the host or the gate refused them.
		testkit.Eventually(t, patience, func() (bool, string) {
			waiting := w.query(fmt.Sprintf(`SELECT kind, last_error FROM jobs WHERE last_error <> '' AND subject NOT IN (SELECT id FROM review_runs WHERE number = %d)`, first.Number))
			return len(waiting) > 0, "no job of the second pull request has waited"
		})
		must(t, w.host.Release(w.ctx, held, simapi.Apply))
		w.reviewed(first.Number, 1)
		third := w.open("leak", leaky()) // hits the limit if no other request has
		w.reviewed(second.Number, 1)
		w.reviewed(third.Number, 1)
		w.verify()
		w.keptTheBlock(seconds)
	})
}

// keptTheBlock checks that after the host's one limit no request of the installation, to the API or by
// git, arrived before its end.
func (w *world) keptTheBlock(seconds int64) {
	w.Helper()
	requests, err := w.host.Requests(w.ctx, allRequests)
	must(w.T, err)
	var blocked int64
	fetches := 0
	for _, r := range requests {
		if r.Route == "git" {
			fetches++
		}
		switch {
		case r.Status == 403 && r.FaultID != "":
			blocked = r.RepliedUS
		case blocked != 0 && r.ArrivedUS > blocked && r.ArrivedUS < blocked+seconds*1_000_000-500_000 && (r.Route == "git" || strings.HasPrefix(r.Path, "/repos")):
			w.Errorf("%s %s was sent %d ms after the block began", r.Method, r.Path, (r.ArrivedUS-blocked)/1000)
		}
	}
	if blocked == 0 || fetches < 2 {
		w.Errorf("the limit was met: %v; %d requests of git", blocked != 0, fetches)
	}
}

// A Go file of more than 4 MiB is changed beside an ordinary bug: the bug is found, and the summary
// names the file.
func TestLargeFileBesideABug(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		files := buggy()
		files["price/table.go"] = "package price\n\n" + strings.Repeat("var _ = \"one of very many lines of a table that a program wrote\"\n", 85_000)
		pr := w.open("bug", files)
		got := w.reviewed(pr.Number, 1)[0]
		if len(got.Comments) != 1 || !strings.Contains(got.Comments[0].Body, bugTitle) {
			t.Errorf("%d comments, want the planted bug", len(got.Comments))
		}
		if !strings.Contains(got.Body, "price/table.go") {
			t.Errorf("the summary does not name the large file:\n%s", got.Body)
		}
		w.verify()
	})
}
