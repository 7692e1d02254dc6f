package e2e

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

var measure = flag.Bool("measure", false, "run TestNominalProfile at its own rate, which takes ten minutes, and TestIgnoredDeliveries")

// profile is the number, the rate and the places of the pull requests.
type profile struct {
	installations, repositories, pulls int
	every                              time.Duration
}

// TestNominalProfile opens pull requests in several installations with default settings and one worker
// that does two reviews at the same time: 10 pull requests in 10 repositories, or 60 in 100 in
// [nightly]. By default they arrive quickly, and times are not asserted. At the profile's own rate,
// 0.1 per second, it makes the table of docs/performance/service.md (make load):
//
//	ASSAY_STORAGES=all go test ./test/e2e -run NominalProfile -count=1 -timeout 40m -v -args -measure
func TestNominalProfile(t *testing.T) {
	p := sized(profile{installations: 5, repositories: 2, pulls: 10}, profile{installations: 10, repositories: 10, pulls: 60})
	p.every = 250 * time.Millisecond
	if *measure {
		p.every = 10 * time.Second
	}
	t.Logf("| storage | pull requests | event → started, p50 / p95 / max | started → visible, p50 / p95 / max | event → visible, p50 / p95 / max | lost | twice |")
	defaults := func(t *testing.T, s storage) *world {
		return bareWorld(t, s, "org0", most(time.Duration(p.pulls)*p.every))
	}
	in(t, crowds, defaults, func(t *testing.T, w *world) { p.run(t, w) })
}

func (p profile) run(t *testing.T, w *world) {
	for i := range p.installations {
		w.account(fmt.Sprint("org", i), p.repositories)
	}
	w.up()
	admin := w.admin()
	for i := range p.installations { // the bootstrap has placed the first one, the others wait
		_, err := w.gh.Install(w.ctx, simapi.InstallSpec{AppID: w.app.ID, Account: fmt.Sprint("org", i)})
		must(t, err)
	}
	w.quiet()
	admin.place()
	if n, want := w.count(`SELECT COUNT(*) FROM repositories WHERE intake = 'on' AND state = 'active'`), p.installations*p.repositories; n != want {
		t.Fatalf("%d repositories are reviewed, want %d", n, want)
	}
	opened := p.open(w)
	testkit.Eventually(t, most(0), func() (bool, string) {
		n := w.count(`SELECT COUNT(*) FROM review_runs WHERE state IN ('completed', 'failed', 'skipped', 'cancelled', 'superseded')`)
		return n >= p.pulls, fmt.Sprintf("%d runs are over, want %d", n, p.pulls)
	})
	w.verify()
	p.check(t, w, opened)
}

// open opens the pull requests at their times, regardless of the service's progress, and returns them.
func (p profile) open(w *world) (opened []pull) {
	w.Helper()
	for i := range p.pulls {
		repo := fmt.Sprintf("org%d/repo%d", i%p.installations, i/p.installations%p.repositories)
		_, err := w.host.Commit(w.ctx, repo, simapi.CommitSpec{Branch: fmt.Sprint("bug-", i), From: "main", Files: buggy(), Message: "a mean"})
		must(w.T, err)
		opened = append(opened, pull{repo: repo})
	}
	began, late := time.Now(), time.Duration(0)
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for i := range opened {
		pr, err := w.host.OpenPull(w.ctx, opened[i].repo, simapi.PullSpec{Title: "A mean", Head: fmt.Sprint("bug-", i), Author: "dev"})
		must(w.T, err)
		opened[i].number = pr.Number
		late = max(late, time.Since(began)-time.Duration(i)*p.every)
		<-tick.C
	}
	w.Logf("the generator was %d ms late at most", late.Milliseconds())
	return opened
}

// check compares the service's record with the host's: each pull request has one run and one visible
// review.
func (p profile) check(t *testing.T, w *world, opened []pull) {
	t.Helper()
	lost, twice := 0, 0
	var waited, took, whole []float64
	runs := map[pull][][]string{}
	for _, r := range w.query(`SELECT p.owner || '/' || p.name, r.number, r.state, r.started_us, d.received_us FROM review_runs r
		JOIN repositories p ON p.id = r.repository_id JOIN webhook_deliveries d ON d.id = r.delivery_id`) {
		of := pull{repo: r[0], number: int(micros(t, r[1]))}
		runs[of] = append(runs[of], r)
	}
	for _, pr := range opened {
		visible, err := w.host.VisibleReviews(w.ctx, pr.repo, pr.number)
		must(t, err)
		of := runs[pr]
		if len(of) == 0 || len(visible) == 0 {
			lost++
		}
		if len(of) > 1 || len(visible) > 1 {
			twice++
		}
		if len(of) != 1 || of[0][2] != "completed" || len(visible) != 1 || len(visible[0].Comments) != 1 {
			t.Errorf("%s#%d has the runs %v and %d visible reviews, want one of each with one comment", pr.repo, pr.number, of, len(visible))
			continue
		}
		started, received := micros(t, of[0][3]), micros(t, of[0][4])
		waited = append(waited, started-received)
		took = append(took, float64(visible[0].SubmittedUS)-started)
		whole = append(whole, float64(visible[0].SubmittedUS)-received)
	}
	if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != p.pulls {
		t.Errorf("%d runs for %d pull requests", n, p.pulls)
	}
	if got := w.dispositions(); got["run"] != p.pulls {
		t.Errorf("deliveries of pull requests ended as %v, want %d runs", got, p.pulls)
	}
	t.Logf("| %s | %d | %s ms | %s ms | %s ms | %d | %d |", w.storage.name, p.pulls, percentiles(waited), percentiles(took), percentiles(whole), lost, twice)
}

func micros(t *testing.T, cell string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(cell, 64)
	must(t, err)
	return n
}

// percentiles writes p50, p95 and the maximum of microseconds as milliseconds.
func percentiles(all []float64) string {
	if len(all) == 0 {
		return "-"
	}
	slices.Sort(all)
	var out []string
	for _, share := range []float64{0.50, 0.95, 1} {
		at := int(math.Ceil(share*float64(len(all)))) - 1
		out = append(out, strconv.Itoa(int(all[at]/1000)))
	}
	return strings.Join(out, " / ")
}
