package main

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	sample "github.com/assay-dev/assay/sim/host/demo"
)

// hostPage is the page of a pull request of a demo's host, as its author uses it.
type hostPage struct {
	*testing.T
	at string
}

// text returns the text of the page.
func (p hostPage) text() string {
	p.Helper()
	return html.UnescapeString(read(p.T, http.DefaultClient, p.at))
}

// does sends a form of the page and returns the answer's text.
func (p hostPage) does(status int, do string, more ...string) string {
	p.Helper()
	fields := url.Values{"do": {do}, "author": {sample.Author}}
	for i := 0; i < len(more); i += 2 {
		fields.Set(more[i], more[i+1])
	}
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.at, strings.NewReader(fields.Encode()))
	testkit.OK(p.T, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	testkit.OK(p.T, err)
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was read
	testkit.OK(p.T, err)
	if resp.StatusCode != status {
		p.Errorf("%s: status %d, want %d: %s", do, resp.StatusCode, status, raw)
	}
	return html.UnescapeString(string(raw))
}

// comes waits until the page has a text.
func (p hostPage) comes(want string) {
	p.Helper()
	testkit.Eventually(p.T, 2*time.Minute, func() (bool, string) {
		return strings.Contains(p.text(), want), fmt.Sprintf("%s lacks %q", p.at, want)
	})
}

var (
	applyForm = regexp.MustCompile(`name="comment" value="(\d+)"><input type="hidden" name="author" value="[^"]*"><button name="do" value="apply"`)
	replyForm = regexp.MustCompile(`<form class="threadform" method="post"><input type="hidden" name="comment" value="(\d+)"`)
)

// answersPeople acts on the pages of the sample's first two pull requests: a reply, a command, a suggestion, the prepared commit
// and the merge. The service follows, as its database says. first is the page of the first one.
func answersPeople(t *testing.T, first, database, repository string) {
	t.Helper()
	one, two := hostPage{t, first}, hostPage{t, strings.TrimSuffix(first, "1") + "2"}
	if why := two.does(http.StatusUnprocessableEntity, "merge"); !strings.Contains(why, `the required check "assay" does not pass`) {
		t.Errorf("a merge with secrets: %s", why)
	}
	two.does(http.StatusSeeOther, "push")
	two.comes("The required checks pass")
	two.does(http.StatusSeeOther, "merge")
	two.comes("It is merged into")

	thread := replyForm.FindStringSubmatch(one.text())
	suggestion := applyForm.FindStringSubmatch(one.text())
	if thread == nil || suggestion == nil {
		t.Fatalf("%s has no thread with a suggestion", one.at)
	}
	one.does(http.StatusSeeOther, "reply", "comment", thread[1], "body", "Who says that?")
	one.comes("Who says that?")
	one.does(http.StatusSeeOther, "comment", "body", "/assay help")
	one.comes("/assay pause")
	one.does(http.StatusSeeOther, "apply", "comment", suggestion[1])
	if why := one.does(http.StatusUnprocessableEntity, "apply", "comment", suggestion[1]); !strings.Contains(why, "outdated") {
		t.Errorf("a suggestion that was applied: %s", why)
	}
	followed(t, database, repository)
}

// followed waits until the service has stored the merge and has reviewed the applied suggestion. repository is the name that the service
// stores.
func followed(t *testing.T, database, repository string) {
	t.Helper()
	s, err := store.Open(t.Context(), database, store.Options{Beside: true})
	testkit.OK(t, err)
	defer func() { testkit.OK(t, s.Close()) }()
	testkit.Eventually(t, 2*time.Minute, func() (bool, string) {
		all, err := s.SearchRuns(t.Context(), store.OperatorFilter{Repository: repository, Limit: 20})
		ends := map[int]int{}
		for _, r := range all {
			if r.State == domain.RunCompleted {
				ends[r.Number]++
			}
		}
		return err == nil && ends[1] >= 2 && ends[2] >= 2, fmt.Sprintf("completed reviews: %v (%v)", ends, err)
	})
	testkit.Eventually(t, 2*time.Minute, func() (bool, string) {
		all, err := s.SearchRuns(t.Context(), store.OperatorFilter{Repository: repository, Number: 2, Limit: 1})
		if err != nil || len(all) == 0 {
			return false, fmt.Sprint(err)
		}
		pull, err := s.PullRequest(t.Context(), all[0].Owner(), all[0].PullRequest)
		return err == nil && pull.State == "merged", fmt.Sprintf("the pull request is %s (%v)", pull.State, err)
	})
}

var approveBy = regexp.MustCompile("/assay approve ([0-9a-f]{12})")

// decides approves the review that waits by a comment on its page, as the admin of the organisation. The check names the digits.
func (d demoOf) decides() {
	d.Helper()
	var digits []string
	testkit.Eventually(d.T, 2*time.Minute, func() (bool, string) {
		all, err := d.github.CheckRuns(d.Context(), sample.Payouts)
		if err == nil && len(all) > 0 {
			digits = approveBy.FindStringSubmatch(all[len(all)-1].Summary)
		}
		return digits != nil, fmt.Sprintf("the check does not say how to decide: %+v (%v)", all, err)
	})
	page := hostPage{d.T, d.github.BaseURL() + "/" + sample.Payouts + "/pull/1"}
	if why := page.does(http.StatusUnprocessableEntity, "merge"); !strings.Contains(why, `the required check "assay" does not pass: it is "in_progress"`) {
		d.Errorf("a merge before the decision: %s", why)
	}
	page.does(http.StatusSeeOther, "comment", "author", sample.Admin, "body", "/assay approve "+digits[1])
	page.comes(sample.Held().PlantedBugs[0].Title)
}

// databaseOf returns the database of the demo in a folder.
func databaseOf(dir, demo string) string { return filepath.Join(dir, "assay-data", demo, "assay.db") }
