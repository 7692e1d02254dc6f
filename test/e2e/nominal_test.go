package e2e

import (
	"flag"
	"fmt"
	"math"
	"net/url"
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
	var targets []*world
	for i := range p.installations * p.repositories {
		v := *w
		v.repo = fmt.Sprintf("org%d/repo%d", i%p.installations, i/p.installations)
		targets = append(targets, &v)
	}
	opened := p.open(targets, func(int, int) map[string]string { return buggy() })
	p.ended(t, w)
	w.verify()
	p.check(t, w, opened)
	if got := w.dispositions(); got["run"] != p.pulls {
		t.Errorf("deliveries of pull requests ended as %v, want %d runs", got, p.pulls)
	}
}

// opened is a pull request in the repository of a world.
type opened struct {
	*world
	number int
}

// stored returns the name under which the service stores the repository: with its organisation and its project, which have the same name
// on the simulated Azure DevOps.
func (o opened) stored() string {
	if owner, _, _ := strings.Cut(o.repo, "/"); o.azure != nil {
		return owner + "/" + o.repo
	}
	return o.repo
}

// open opens the pull requests at their times, in the targets by turns, regardless of the service's progress. The n-th of each target has
// the same branch. change returns the files of the n-th pull request of a target.
func (p profile) open(targets []*world, change func(target, n int) map[string]string) (all []opened) {
	w := targets[0]
	w.Helper()
	branch := func(i int) string { return fmt.Sprint("bug-", i/len(targets)+1) }
	for i := range p.pulls {
		v := targets[i%len(targets)]
		_, err := v.host.Commit(v.ctx, v.repo, simapi.CommitSpec{Branch: branch(i), From: "main", Files: change(i%len(targets), i/len(targets)+1), Message: "a mean"})
		must(w.T, err)
		all = append(all, opened{world: v})
	}
	began, late := time.Now(), time.Duration(0)
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for i := range all {
		pr, err := all[i].host.OpenPull(w.ctx, all[i].repo, simapi.PullSpec{Title: "A mean", Head: branch(i), Author: "dev"})
		must(w.T, err)
		all[i].number = pr.Number
		late = max(late, time.Since(began)-time.Duration(i)*p.every)
		<-tick.C
	}
	w.Logf("the generator was %d ms late at most", late.Milliseconds())
	return all
}

// ended waits until the run of each pull request has ended.
func (p profile) ended(t *testing.T, w *world) {
	t.Helper()
	testkit.Eventually(t, most(0), func() (bool, string) {
		n := w.count(`SELECT COUNT(*) FROM review_runs WHERE state IN ('completed', 'failed', 'skipped', 'cancelled', 'superseded')`)
		return n >= p.pulls, fmt.Sprintf("%d runs are over, want %d", n, p.pulls)
	})
}

// check compares the service's record with the hosts': each pull request has one run, and one visible summary, which is of that run.
func (p profile) check(t *testing.T, w *world, all []opened) {
	t.Helper()
	lost, twice := 0, 0
	var waited, took, whole []float64
	runs := map[string][][]string{}
	for _, r := range w.query(`SELECT h.host, h.owner || '/' || h.name, r.number, r.state, r.started_us, COALESCE(d.received_us, r.created_us), COALESCE(p.id, '') FROM review_runs r
		JOIN repositories h ON h.id = r.repository_id LEFT JOIN webhook_deliveries d ON d.id = r.delivery_id LEFT JOIN publications p ON p.run_id = r.id AND p.kind = 'review'`) {
		host, err := url.Parse(r[0])
		must(t, err)
		of := fmt.Sprint("http://", host.Host, " ", r[1], " ", r[2])
		runs[of] = append(runs[of], r)
	}
	for _, o := range all {
		at := fmt.Sprint(o.host.BaseURL(), " ", o.stored(), " ", o.number)
		visible, of := o.summaries(o.number), runs[at]
		if len(of) == 0 || len(visible) == 0 {
			lost++
		}
		if len(of) > 1 || len(visible) > 1 {
			twice++
		}
		if len(of) != 1 || of[0][3] != "completed" || len(visible) != 1 || mark.FindStringSubmatch(visible[0].Body)[1] != of[0][6] || len(inline(oursIn(o.written(o.number)))) != 1 {
			t.Errorf("%s has the runs %v and %d visible summaries, want one of each, and one comment", at, of, len(visible))
			continue
		}
		started, received := micros(t, of[0][4]), micros(t, of[0][5])
		waited = append(waited, started-received)
		took = append(took, float64(visible[0].CreatedUS)-started)
		whole = append(whole, float64(visible[0].CreatedUS)-received)
	}
	if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != p.pulls {
		t.Errorf("%d runs for %d pull requests", n, p.pulls)
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
