package e2e

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/model"
)

// TestHistories simulates pull requests whose defects stay, move, go and return, while the model
// reports the defects in the code that it is shown. After each step every run has one review, no run
// has failed, every existing defect has an open finding and a comment that does not call it fixed,
// every fixed defect is resolved, and no defect is reported twice.
//
// By default a few histories of seed 1 run, and more of them in [nightly]. ASSAY_HISTORIES_SEED is the
// first seed, and each further one is the next number. ASSAY_HISTORIES_COUNT is the number of seeds on
// each storage, each with every manner of the model, and ASSAY_HISTORIES_STEPS the number of steps of
// each history. All run in one world (make histories).
func TestHistories(t *testing.T) {
	seed, count, length := number(t, "ASSAY_HISTORIES_SEED", 1), number(t, "ASSAY_HISTORIES_COUNT", sized(1, 3)), number(t, "ASSAY_HISTORIES_STEPS", 3)
	t.Logf("seed %d, %d histories in %d manners, of %d steps on each storage", seed, count, len(manners), length)
	own := func(t *testing.T, s storage) *world {
		w := bareWorld(t, s, "assay-home", most(time.Duration(count*length)*time.Duration(len(manners))*5*time.Second))
		maps.Copy(w.env, map[string]string{"ASSAY_LANES_REVIEW": "8", "ASSAY_LANES_PUBLISH": "8", "ASSAY_JOBS_SWEEP": "1s", "ASSAY_MODEL_CONCURRENCY": "16"})
		return w
	}
	in(t, journeys, own, func(t *testing.T, w *world) {
		l := lives{world: w, kinds: steps(), table: map[string]*tally{}}
		for i := range count {
			for _, m := range manners {
				l.all = append(l.all, newHistoryOf(w, uint64(seed)+uint64(i), m))
			}
		}
		l.run(int(length))
	})
}

// number returns the number in an environment variable, or a default.
func number[N ~int | ~int64](t *testing.T, name string, fallback N) N {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return N(n)
}

// lives are the histories of one world, which take their steps together.
type lives struct {
	*world
	all   []*history
	kinds []step
	table map[string]*tally
}

// tally counts the results of one kind of step.
type tally struct{ steps, stood int }

func (l *lives) run(length int) {
	must(l.T, l.model.SetRules(l.ctx, []model.Rule{}))
	l.each((*history).found)
	l.up()
	l.each((*history).install)
	l.admitted()
	l.each((*history).open)
	l.settled()
	for range length {
		l.each(func(h *history) error { return h.advance(l.kinds) })
		l.quiet()
		l.each(func(h *history) error {
			if h.how != byReset {
				return nil
			}
			h.unreviewed()
			return h.command("/assay review")
		})
		l.settled()
	}
	l.verify()
	l.print()
}

// admitted places the installations, a hundred at a time, and waits until every repository is reviewed.
func (l *lives) admitted() {
	l.quiet()
	admin := l.admin()
	for l.count(`SELECT COUNT(*) FROM installations WHERE tenant_id IS NULL`) > 0 {
		admin.place()
	}
	l.quiet()
	if n := l.count(`SELECT COUNT(*) FROM repositories WHERE intake = 'on' AND state = 'active'`); n != len(l.all) {
		l.Fatalf("%d repositories are reviewed, want %d", n, len(l.all))
	}
}

// each runs a function for every history that has not failed, several at a time.
func (l *lives) each(do func(*history) error) {
	l.Helper()
	var group sync.WaitGroup
	slots := make(chan struct{}, 4)
	for _, h := range l.all {
		if h.broken != "" {
			continue
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := do(h); err != nil {
				h.fail(otherFailure, "%v", err)
			}
		})
	}
	group.Wait()
}

// settled waits until all work is done and checks every history.
func (l *lives) settled() {
	l.Helper()
	l.quiet()
	l.deliverAgain()
	seen := l.look()
	for _, h := range l.all {
		if h.broken != "" {
			continue
		}
		if l.table[h.kind.name] == nil {
			l.table[h.kind.name] = &tally{}
		}
		h.check(seen[h.repo], l.table[h.kind.name])
	}
}

// deliverAgain is [site.Site.DeliverAgain], and waits until all work is done.
func (l *lives) deliverAgain() {
	l.Helper()
	if late := l.site.DeliverAgain(l.ctx); late > 0 {
		l.Logf("%s: %d deliveries were not taken at first", l.storage.name, late)
		l.quiet()
	}
}

// print writes the table of the results.
func (l *lives) print() {
	l.Logf("| %s: step | steps | defects that stood, and were not said again |", l.storage.name)
	var whole tally
	for _, name := range slices.Sorted(maps.Keys(l.table)) {
		n := l.table[name]
		l.Logf("| %s | %d | %d |", name, n.steps, n.stood)
		whole.steps, whole.stood = whole.steps+n.steps, whole.stood+n.stood
	}
	l.Logf("| all | %d | %d |", whole.steps, whole.stood)
	l.Logf("| %s: model | histories | said again | wrongly resolved | swallowed | failed runs | otherwise wrong |", l.storage.name)
	for _, m := range manners {
		lived, n := 0, map[failure]int{}
		for _, h := range l.all {
			if h.manner == m {
				lived++
				n[h.broken]++
			}
		}
		l.Logf("| %s | %d | %d | %d | %d | %d | %d |", m, lived, n[saidAgain], n[wronglyResolved], n[swallowed], n[failedRun], n[otherFailure])
	}
}

// pathsOf returns the names of files, sorted.
func pathsOf(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }

func joined(lines []string) string { return strings.Join(lines, "\n") + "\n" }
