package realgitea

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/test/site"
)

const (
	pullsOfKills = 20
	kills        = 10
)

// Pull requests arrive while the processes of assay are killed: each has one run and one review, which
// is shown and mailed once.
func TestKills(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("ASSAY_NIGHTLY_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		testkit.OK(t, err)
	}
	t.Logf("ASSAY_NIGHTLY_SEED=%d", seed)
	for _, embedded := range []bool{false, true} {
		name := map[bool]string{false: "api and worker in turn, PostgreSQL and Redis", true: "one process, SQLite"}[embedded]
		t.Run(name, func(t *testing.T) { killed(t, name, embedded, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func killed(t *testing.T, name string, embedded bool, random *rand.Rand) {
	// A job may be under way at each kill. By default a head is given up after three crashes, because
	// it may be their cause.
	w := connected(t, embedded, inOwners, "ASSAY_JOBS_CRASH_LIMIT", fmt.Sprint(kills+1))
	var pulls []pull
	began := time.Now()
	for round := range kills {
		for range pullsOfKills / kills {
			pulls = append(pulls, w.open("eve", "acme/shop", fmt.Sprint("p", len(pulls)), buggy()))
		}
		w.progress(random.IntN(6))
		at := round % len(w.processes)
		p := w.processes[at]
		p.Signal(syscall.SIGKILL)
		p.Wait(site.Patience)
		w.processes[at] = w.start(w.roles()[at])
	}
	last := time.Now()
	w.server.Flush()
	w.swept() // for deliveries that arrived while no process ran
	w.quiet()
	t.Logf("%s: nothing is left to do %.0f s after the last kill, %.0f s after the first pull request",
		name, time.Since(last).Seconds(), time.Since(began).Seconds())
	var all shown
	mails, runs := 0, 0
	for _, p := range pulls {
		got, list := w.once(p.name(), p, 1, 2), w.runs(p)
		if len(list) != 1 || list[0][0] != "completed" {
			t.Errorf("%s has the runs %v, want one that is completed", p.name(), list)
		}
		runs += len(list)
		all.Reviews += got.Reviews
		all.Entries += got.Entries
		all.Comments += got.Comments
		all.Drafts += got.Drafts
		for _, n := range got.Mails {
			mails += n
		}
	}
	t.Logf("| processes | pull requests | kills | runs | reviews | timeline entries | comments | drafts | mails |")
	t.Logf("| %s | %d | %d | %d | %d | %d | %d | %d | %d |",
		name, len(pulls), kills, runs, all.Reviews, all.Entries, all.Comments, all.Drafts, mails)
}

// progress waits until the runs have made a number of further steps, or all work is done.
func (w *world) progress(steps int) {
	w.Helper()
	count := func() int {
		n := 0
		if rows := w.rows(`SELECT COUNT(*) FROM run_transitions`); len(rows) == 1 {
			n, _ = strconv.Atoi(rows[0][0])
		}
		return n
	}
	from := count()
	w.eventually(func() (bool, string) {
		open, err := w.site.Open(w.ctx)
		return count() >= from+steps || err == nil && len(open) == 0, "the runs stand still"
	})
}

// The host stops while reviews are under way, and later refuses the token for a while. Reviews that
// were under way are published once.
func TestHostThatIsDown(t *testing.T) {
	w := connected(t, true, inOwners)
	held, err := w.site.Model.SetFault(w.ctx, model.Fault{Action: model.Hang, Match: model.Match{Stage: "generate"}, Times: 1})
	testkit.OK(t, err)
	var pulls []pull
	for i := range 3 {
		pulls = append(pulls, w.open("eve", "acme/shop", fmt.Sprint("p", i), buggy()))
	}
	_, err = w.site.Model.AwaitFault(w.ctx, held.ID, 1, 1)
	testkit.OK(t, err)
	w.server.Stop()
	testkit.OK(t, w.site.Model.ReleaseFault(w.ctx, held.ID, model.Answer))
	w.eventually(func() (bool, string) {
		failed := w.rows(`SELECT kind, last_error FROM jobs WHERE last_error <> ''`)
		return len(failed) > 0, "no job has met the dead host"
	})
	w.server.Start()
	w.swept()
	for _, p := range pulls {
		w.once(p.name()+", the host was down", p, 1, 2)
	}
	req := w.request("DELETE", "/api/v1/users/"+bot+"/tokens/assay", nil)
	req.SetBasicAuth(bot, password)
	if status, text := w.send(req); status != http.StatusNoContent {
		t.Fatalf("the token is not taken back: %d %s", status, text)
	}
	p := w.open("eve", "acme/shop", "revoked", clean("r"))
	w.eventually(func() (bool, string) {
		got := w.synced()
		return got.State == "error", fmt.Sprintf("without a token the connection is %+v", got)
	})
	w.admin.Send("PATCH", w.connections()+"/"+w.connection, map[string]string{"token": w.token(bot, "next", scopes...)}, 200, nil)
	w.swept()
	w.once("the token was taken back", p, 1, 0)
}
