package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
)

// A person revokes the app at Linear. The connection says so, administrators are notified once, reviews
// continue, requests do not loop, and a new sign-in restores the connection.
func TestTrackerSignInIsRevoked(t *testing.T) {
	in(t, journeys, func(t *testing.T, s storage) *world { return trackedShop(t, s, trackerapi.Linear) }, signInIsRevoked)
}

func signInIsRevoked(t *testing.T, w *world) {
	issues := w.site.Issues
	w.trackedIssue()
	w.worked()
	p := w.admin()
	id, account := w.trackedBy(p, "linear", "comment")
	at := "/api/tenants/" + p.tenant() + "/tracker-connections/" + id
	var secret struct{ Secret string }
	p.as.Send("POST", at+"/webhook-secret", nil, 200, &secret)
	must(t, issues.NewHook(w.ctx, trackerapi.HookSpec{URL: w.url("/webhooks/tracker-b/" + id), Secret: secret.Secret}))
	pr := w.open("pay-1-mean", buggy())
	w.reviewed(pr.Number, 1)
	w.quiet()
	w.commented("PAY-1", 1)

	must(t, issues.Revoke(w.ctx, account))
	before := w.trackerAsked(0)
	const edits = 6
	for i := range edits {
		title := fmt.Sprintf("Prices have a mean, edition %d", i)
		_, err := issues.EditIssue(w.ctx, "PAY-1", trackerapi.IssueChange{Title: &title})
		must(t, err)
	}
	must(t, issues.WaitDeliveries(w.ctx, patience))
	w.connectionIs("error")
	w.quiet()
	// Each edit is read once. The job that reports the problem asks the connection for its account and
	// projects, once for all refusals within its time.
	if after := w.trackerAsked(before[len(before)-1].Seq); len(after) > 2*edits {
		t.Errorf("%d requests for %d edits: %v", len(after), edits, after)
	}
	trades := 0
	for _, r := range w.trackerAsked(0) {
		if strings.HasSuffix(r.Path, "/oauth/token") {
			trades++
		}
	}
	testkit.Equal(t, "trades of codes and refresh tokens", trades, 1)
	ended := w.query(`SELECT disposition, reason FROM webhook_deliveries WHERE source_id = '` + id + `' AND reason <> 'it is about no issue'`) // this one is our own comment
	testkit.Equal(t, "deliveries", len(ended), edits)
	for _, d := range ended {
		if d[0] != "ignored" || d[1] != "the tracker does not let the connection read the issue" {
			t.Errorf("a delivery ended %v", d)
		}
	}
	w.noneDead()
	events := func() int {
		return len(w.query(`SELECT id FROM events WHERE kind = 'connection.error' AND subject_id = '` + id + `'`))
	}
	testkit.Equal(t, "events", events(), 1)

	w.push("pay-1-mean", map[string]string{"price/note.go": "package price\n\n// Note says what prices are.\nconst Note = \"in cents\"\n"})
	w.quiet()
	if body := w.reviewed(pr.Number, 1)[0].Body; !strings.Contains(body, "PAY-1") {
		t.Errorf("the review does not mention the issue that it could not read:\n%s", body)
	}
	w.noneDead()
	testkit.Equal(t, "events", events(), 1)

	w.consents(p, at)
	w.connectionIs("active")
	title := "Prices have a mean, signed in again"
	_, err := issues.EditIssue(w.ctx, "PAY-1", trackerapi.IssueChange{Title: &title})
	must(t, err)
	testkit.Eventually(t, patience, func() (bool, string) {
		got := w.query(`SELECT title FROM tracker_links`)
		return len(got) == 1 && got[0][0] == title, fmt.Sprintf("links %v, deliveries %v", got, w.query(`SELECT disposition, reason FROM webhook_deliveries WHERE source_id = '`+id+`'`))
	})
	w.quiet()
	w.noneDead()
	testkit.Equal(t, "events", events(), 1)
	w.commented("PAY-1", 1)
	w.verify()
}

// consents signs a connection in like a person in a browser.
func (w *world) consents(p *person, connection string) {
	w.Helper()
	var begun struct{ URL string }
	p.as.Send("POST", connection+"/oauth/start", nil, 200, &begun)
	to, err := url.Parse(begun.URL)
	must(w.T, err)
	form := to.Query()
	form.Set("decision", "allow")
	to.RawQuery = ""
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(w.ctx, http.MethodPost, to.String(), strings.NewReader(form.Encode()))
	must(w.T, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := browser.Do(r)
	must(w.T, err)
	must(w.T, resp.Body.Close())
	back, err := resp.Location()
	must(w.T, err)
	p.as.Do("GET", back.RequestURI(), "", "", http.StatusSeeOther, nil)
}

// connectionIs waits until the only tracker connection is in a state.
func (w *world) connectionIs(state string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got := w.query(`SELECT state, message FROM tracker_connections`)
		return len(got) == 1 && got[0][0] == state, fmt.Sprintf("%v, want %s", got, state)
	})
}

// trackerAsked returns the requests to the tracker after a given one.
func (w *world) trackerAsked(after int64) []shared.Request {
	w.Helper()
	got, err := w.site.Issues.Requests(w.ctx, simclient.RequestFilter{After: after})
	must(w.T, err)
	return got
}

// noneDead fails if a job was given up.
func (w *world) noneDead() {
	w.Helper()
	if dead := w.query(`SELECT kind, state, last_error FROM jobs WHERE state = 'dead'`); len(dead) > 0 {
		w.Errorf("jobs that were given up: %v", dead)
	}
}
