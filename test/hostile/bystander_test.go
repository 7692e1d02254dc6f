package hostile

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/test/site"
)

// sum is a file of the bystanders. mean is added by their pull requests and has a defect that the
// scripted model reports.
const (
	sum    = "package price\n\n// Sum adds prices.\nfunc Sum(prices []int) int {\n\ttotal := 0\n\tfor _, p := range prices {\n\t\ttotal += p\n\t}\n\treturn total\n}\n"
	mean   = "package price\n\n// Mean is the average price.\nfunc Mean(prices []int) int {\n\treturn Sum(prices) / len(prices)\n}\n"
	defect = "Mean divides by zero for an empty list"
)

// life is the activity beside an attack: work of a bystander, events without effect, and health checks.
type life struct {
	*arena
	opened []planted // of the bystanders
	ingest []time.Duration
	health health
	most   int // MiB of memory of the service with its children
	stop   chan struct{}
	over   chan struct{}
}

// live starts the activity. Each action comes at its time, regardless of the service's progress.
func (a *arena) live() *life {
	l := &life{arena: a, stop: make(chan struct{}), over: make(chan struct{})}
	done := make(chan struct{}, 3)
	l.every(sized(4*time.Second, 15*time.Second), done, l.work) // the host lets an installation write 400 times an hour
	l.every(sized(time.Second, 250*time.Millisecond), done, l.event)
	l.every(sized(time.Second, 500*time.Millisecond), done, l.look)
	go func() {
		defer close(l.over)
		for range 3 {
			<-done
		}
	}()
	return l
}

// end waits until the activity has ended.
func (l *life) end() {
	close(l.stop)
	<-l.over
}

func (l *life) every(pace time.Duration, done chan<- struct{}, one func(n int)) {
	go func() {
		defer func() { done <- struct{}{} }()
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-l.stop:
				return
			case <-tick.C:
				one(n)
			}
		}
	}()
}

// work opens a small pull request of a bystander: only a few of them in make test, however long the
// attack takes.
func (l *life) work(n int) {
	if n >= sized(5, 1000) {
		return
	}
	p := planted{repo: bystanders[n%len(bystanders)] + "/shop"}
	branch := fmt.Sprint("mean-", n)
	_, err := l.site.Host.Commit(l.ctx, p.repo, simapi.CommitSpec{Branch: branch, From: "main", Files: map[string]string{"price/mean.go": mean}, Message: "a mean"})
	if err == nil {
		var pr simapi.Pull
		pr, err = l.site.Host.OpenPull(l.ctx, p.repo, simapi.PullSpec{Title: "A mean", Head: branch, Author: "dev"})
		p.number = pr.Number
	}
	if err != nil {
		l.Errorf("the bystander's pull request: %v", err)
		return
	}
	l.opened = append(l.opened, p)
}

// event delivers an ordinary event and measures the time of its answer.
func (l *life) event(n int) {
	began := time.Now()
	client, status := &http.Client{Timeout: site.Patience}, http.StatusServiceUnavailable
	for tries := 0; status == http.StatusServiceUnavailable && tries < 10; tries++ { // the database of a busy machine may be slow: hosts send it again
		status = l.post(client, fmt.Sprint("ordinary-", n), l.site.Secret, payload(16<<10))
	}
	l.ingest = append(l.ingest, time.Since(began))
	if status != http.StatusAccepted {
		l.Errorf("an ordinary event was answered with %d", status)
	}
}

// look checks the health of the service, and adds up its memory.
func (l *life) look(int) {
	h := l.probe(1)
	l.health.asked, l.health.answered, l.health.slowest = l.health.asked+h.asked, l.health.answered+h.answered, max(l.health.slowest, h.slowest)
	l.most = max(l.most, family(l.process.PID()))
}

// served asserts that every pull request of the bystanders has its review with the expected finding,
// and prints their waiting times. It returns how long their reviews waited for their start.
func (l *life) served() (waited []time.Duration) {
	l.Helper()
	var whole []time.Duration
	for _, p := range l.opened {
		visible, err := l.site.Host.VisibleReviews(l.ctx, p.repo, p.number)
		testkit.OK(l, err)
		rows := l.runs(p.repo, p.number)
		if len(rows) != 1 || rows[0].state != "completed" || len(visible) != 1 || len(visible[0].Comments) != 1 || !strings.Contains(visible[0].Comments[0].Body, defect) {
			l.Errorf("the bystander's %s#%d has the runs %v and %d reviews", p.repo, p.number, rows, len(visible))
			continue
		}
		waited = append(waited, rows[0].waited)
		whole = append(whole, time.Duration(visible[0].SubmittedUS-rows[0].receivedUS)*time.Microsecond)
	}
	if len(waited) == 0 {
		l.Error("no bystander opened anything")
	}
	if l.health.answered != l.health.asked {
		l.Errorf("%d of %d probes were answered", l.health.answered, l.health.asked)
	}
	killed := 0
	for _, line := range l.process.Lines() {
		if strings.Contains(line, "the child process of a review ended before its work was done") || strings.Contains(line, "git could not read the change") {
			killed++
			l.Log(line)
		}
	}
	table := fmt.Sprintf("| what | figure |\n|---|---|\n"+
		"| hostile pull requests | %d |\n| bystanders' pull requests, each reviewed | %d |\n"+
		"| event → started, bystanders, p50 / p95 / max | %s |\n| event → visible, bystanders, p50 / p95 / max | %s |\n"+
		"| answer to a webhook, p50 / p99 / max | %s |\n| memory of the service, at rest / most | %d / %d MiB |\n| with its children, most | %d MiB |\n"+
		"| children ended by a limit, and changes read through the host instead | %d |\n| probes of health answered, slowest | %d of %d, %d ms |",
		len(l.bombs), len(l.opened), percentiles(waited, 0.5, 0.95, 1), percentiles(whole, 0.5, 0.95, 1), percentiles(l.ingest, 0.5, 0.99, 1),
		l.before, l.memory("VmHWM"), l.most, killed, l.health.answered, l.health.asked, l.health.slowest.Milliseconds())
	l.Log("\n" + table)
	if full() {
		fmt.Printf("\n%s\n", table)
	}
	return waited
}

// percentiles writes shares of times in ms.
func percentiles(all []time.Duration, shares ...float64) string {
	if len(all) == 0 {
		return "–"
	}
	var out []string
	for _, share := range shares {
		out = append(out, fmt.Sprint(percentile(all, share).Milliseconds()))
	}
	return strings.Join(out, " / ") + " ms"
}

// percentile returns the time that a share of times does not exceed; 0 without times.
func percentile(all []time.Duration, share float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[int(math.Ceil(share*float64(len(all))))-1]
}
