package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// query reads rows of the database from outside, as strings. It tries again for two seconds, and then returns nil.
func (w *world) query(text string) [][]string {
	w.Helper()
	for try := 1; ; try++ {
		rows, err := w.site.Query(w.ctx, text)
		if err == nil {
			return rows
		}
		w.Logf("query: %v", err)
		if try == 20 {
			return nil
		}
		time.Sleep(100 * time.Millisecond) // a writer can keep a reader of SQLite out for a moment
	}
}

func (w *world) count(text string) int {
	w.Helper()
	rows := w.query(text)
	if len(rows) != 1 {
		return -1
	}
	n := 0
	_, err := fmt.Sscan(rows[0][0], &n)
	must(w.T, err)
	return n
}

// quiet waits until all work is done: every delivery has a disposition, and every run and job has
// ended. The last writes cause further deliveries of the host, so it waits twice.
func (w *world) quiet() {
	w.Helper()
	for range 2 {
		must(w.T, w.host.WaitDeliveries(w.ctx, patience))
		testkit.Eventually(w.T, patience, func() (bool, string) {
			open, err := w.site.Open(w.ctx)
			return err == nil && len(open) == 0, fmt.Sprintf("still open: %v (%v)", open, err)
		})
	}
}

// state waits until a run of a pull request is in a state and returns its reason.
func (w *world) state(number int, want string) string {
	w.Helper()
	var got [][]string
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got = w.query(fmt.Sprintf(`SELECT state, reason FROM review_runs WHERE number = %d ORDER BY created_us DESC, id DESC`, number))
		return len(got) > 0 && got[0][0] == want, fmt.Sprintf("runs of #%d: %v, want %s", number, got, want)
	})
	return got[0][1]
}

var mark = regexp.MustCompile(`assay:pub=(\S+) `)

// allowed are the writes that the service may do on the host.
var allowed = map[string]bool{"review create": true, "review submit": true, "review.submit update": true, "review update": true, "review delete": true, "review.submit create": true,
	"check_run create": true, "check_run update": true, "review_comment update": true, "review_comment create": true, "review_comment delete": true, "review_comment.resolve update": true,
	"issue_comment create": true, "status create": true, "label update": true, "hook create": true,
	"review_shown update": true} // if a summary is edited on Gitea and Forgejo

// verify checks the invariants over the host's record and the database.
func (w *world) verify() {
	w.Helper()
	w.quiet()
	// I1: every acknowledged delivery has one row with a disposition.
	if n := w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition IS NULL OR disposition = 'failed'`); n != 0 {
		w.Errorf("%d deliveries are lost or failed: %v", n, w.query(`SELECT event, action, disposition, reason FROM webhook_deliveries`))
	}
	// I3: every completed run has exactly one visible review that carries its publication's mark.
	runs := w.query(`SELECT r.id, r.number, p.id, p.kind, p.phase, COALESCE(p.ext_review_id, 0) FROM review_runs r LEFT JOIN publications p ON p.run_id = r.id WHERE r.state = 'completed'`)
	wanted := map[string]string{}
	for _, r := range runs {
		if r[4] != "PUBLISHED" {
			w.Errorf("run %s is completed but its publication is %q", r[0], r[4])
		}
		if r[3] == "review" {
			wanted[r[2]] = r[5]
		}
	}
	for _, p := range w.pulls() {
		reviews, err := w.host.Reviews(w.ctx, p.repo, p.number)
		must(w.T, err)
		for _, r := range reviews {
			if !strings.HasPrefix(r.User, "assay") {
				continue
			}
			m := mark.FindStringSubmatch(r.Body)
			switch {
			case m == nil && r.Body == "" && len(r.Comments) == 1 && r.Comments[0].InReplyTo != 0: // the host makes one for a reply
			case m == nil:
				w.Errorf("review %d of #%d has no mark:\n%s", r.ID, p.number, r.Body)
			case r.State == "PENDING":
				w.Errorf("a draft of ours is left on #%d (publication %s)", p.number, m[1])
			case wanted[m[1]] == fmt.Sprint(r.ID):
				delete(wanted, m[1])
			default:
				w.Errorf("review %d of #%d is not the chosen one of publication %s", r.ID, p.number, m[1])
			}
		}
	}
	if len(wanted) > 0 {
		w.Errorf("publications without a visible review: %v", wanted)
	}
	w.verifyWrites()
	w.verifyAnswers()
	if w.gitea != nil {
		w.verifyPages()
	}
}

// pull is a pull request in the service's database.
type pull struct {
	repo   string
	number int
}

// pulls lists the pull requests in the service's database.
func (w *world) pulls() (out []pull) {
	w.Helper()
	for _, r := range w.query(`SELECT r.owner || '/' || r.name, p.number FROM pull_requests p JOIN repositories r ON r.id = p.repository_id ORDER BY r.owner, r.name, p.number`) {
		p := pull{repo: r[0]}
		_, err := fmt.Sscan(r[1], &p.number)
		must(w.T, err)
		out = append(out, p)
	}
	return out
}

// verifyWrites checks that nothing forbidden was written, and that every effect
// had an intent row before it (I4).
func (w *world) verifyWrites() {
	w.Helper()
	writes, err := w.host.Writes(w.ctx, 0)
	must(w.T, err)
	creates := 0
	for _, x := range writes {
		if !strings.HasPrefix(x.Actor, "assay") {
			continue
		}
		if !allowed[x.Kind+" "+x.Verb] {
			w.Errorf("a write that the service must not do: %s %s", x.Kind, x.Verb)
		}
		if x.Kind == "review" && x.Verb == "create" {
			creates++
		}
	}
	if intents := w.count(`SELECT COUNT(*) FROM write_attempts WHERE verb = 'create'`); creates > intents {
		w.Errorf("%d drafts were created with %d intents", creates, intents)
	}
}

// dispositions counts deliveries of pull request events by disposition.
func (w *world) dispositions() map[string]int {
	w.Helper()
	out := map[string]int{}
	for _, r := range w.query(`SELECT disposition, COUNT(*) FROM webhook_deliveries WHERE event = 'pull_request' GROUP BY disposition`) {
		n := 0
		_, err := fmt.Sscan(r[1], &n)
		must(w.T, err)
		out[r[0]] = n
	}
	return out
}

// conclusion waits for the check run of a head and returns its conclusion and title.
func (w *world) conclusion(head string) (string, string) {
	w.Helper()
	var got string
	var title string
	testkit.Eventually(w.T, patience, func() (bool, string) {
		runs, err := w.gh.CheckRuns(w.ctx, w.repo)
		i := slices.IndexFunc(runs, func(c simapi.CheckRun) bool { return c.HeadSHA == head && c.Status == "completed" })
		if err != nil || i < 0 {
			return false, fmt.Sprintf("no completed check run of %s (%v)", head, err)
		}
		got, title = runs[i].Conclusion, runs[i].Title
		return true, ""
	})
	return got, title
}

// setEffort changes the stored routing while the service is stopped (embedded)
// or running.
func (w *world) setEffort(effort string) {
	w.Helper()
	w.exec(`UPDATE settings SET body = REPLACE(body, '"model":', '"reasoningEffort":"` + effort + `","model":') WHERE kind = 'llm'`)
}

// repository waits until the service knows the only repository of its host, and returns its id.
func (w *world) repository() (id string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		rows := w.query(`SELECT id FROM repositories`)
		if len(rows) == 1 {
			id = rows[0][0]
		}
		return id != "", "the repository is not known yet"
	})
	return id
}
