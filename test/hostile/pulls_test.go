package hostile

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

var only = flag.String("bombs", "", "a regular expression: only bombs with such a name")

// Two tenants open pull requests that cost more than they should, while a third one works: the service
// survives, each of them ends with a review that lists the parts that were not looked at, and other
// reviews do not wait for them.
func TestHostilePullRequests(t *testing.T) {
	bombs := slices.Concat(families()...)
	if len(bombs) < 50 {
		t.Errorf("only %d bombs", len(bombs))
	}
	switch {
	case *only != "":
		only := regexp.MustCompile(*only)
		bombs = slices.DeleteFunc(bombs, func(b bomb) bool { return !only.MatchString(b.name) })
	case !full():
		bombs = sample()
	}
	began := time.Now()
	a := enter(t, bombs)
	t.Logf("set up in %s", time.Since(began))
	l := a.live()
	a.open()
	t.Logf("open after %s", time.Since(began))
	a.over("bomb%")
	t.Logf("over after %s", time.Since(began))
	l.end()
	a.over("%")
	t.Logf("quiet after %s", time.Since(began))
	for _, p := range a.bombs {
		t.Run(p.name, func(t *testing.T) { a.ended(t, p) })
	}
	l.served()
}

// run is the result of a pull request.
type run struct {
	state, reason string
	receivedUS    int64
	waited, took  time.Duration
}

// runs returns the runs of a pull request.
func (a *arena) runs(repo string, number int) (out []run) {
	a.Helper()
	for _, r := range a.query(fmt.Sprintf(`SELECT r.state, COALESCE(r.reason, ''), d.received_us, COALESCE(r.started_us, 0), COALESCE(r.finished_us, r.started_us, 0) FROM review_runs r
		JOIN repositories p ON p.id = r.repository_id JOIN webhook_deliveries d ON d.id = r.delivery_id WHERE p.owner || '/' || p.name = '%s' AND r.number = %d`, repo, number)) {
		var us [3]int64
		for i := range us {
			us[i], _ = strconv.ParseInt(r[2+i], 10, 64)
		}
		out = append(out, run{r[0], r[1], us[0], time.Duration(us[1]-us[0]) * time.Microsecond, time.Duration(us[2]-us[1]) * time.Microsecond})
	}
	return out
}

// unseen are words of a review that did not look at everything.
var unseen = []string{"Not reviewed", "not looked at", "Incomplete", "Deterministic checks only", "more than the", "instead", "no model saw"}

// ended asserts the result of a bomb.
func (a *arena) ended(t *testing.T, p *planted) {
	runs := a.runs(p.repo, p.number)
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	r := runs[0]
	text := a.published(t, p)
	t.Logf("%s in %s: %s\n%s", r.state, r.took, r.reason, text)
	switch {
	case r.state != "completed":
		t.Fatalf("the run is %s: %s", r.state, r.reason)
	case p.says != "" && !strings.Contains(text, p.says):
		t.Errorf("the review does not say %q", p.says)
	case p.says == "" && slices.ContainsFunc(unseen, func(w string) bool { return strings.Contains(text, w) }):
		t.Error("the review did not look at everything")
	}
}

// published returns the visible review of a bomb, except comments on lines.
func (a *arena) published(t *testing.T, p *planted) (text string) {
	t.Helper()
	visible, err := a.site.Host.VisibleReviews(a.ctx, p.repo, p.number)
	testkit.OK(t, err)
	for _, r := range visible {
		text += r.Body + "\n"
	}
	checks, err := a.site.Host.CheckRuns(a.ctx, p.repo)
	testkit.OK(t, err)
	for _, c := range checks {
		text += c.Title + "\n" + c.Summary + "\n"
	}
	return text
}
