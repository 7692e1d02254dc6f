package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/github/simclient"
	sample "github.com/assay-dev/assay/sim/host/demo"
)

// These limits are generous because the machine may be loaded. They measure nothing.
const (
	startup = 3 * time.Minute
	drain   = 40 * time.Second
)

func itoa(n int) string { return strconv.Itoa(n) }

// terminate asks a process to stop and expects a clean exit.
func terminate(t *testing.T, p *testkit.Process) {
	t.Helper()
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(drain); code != 0 {
		t.Errorf("exit code %d after SIGTERM", code)
	}
}

func TestServeWithNoSetting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := map[string]string{"ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off"}
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Dir: dir, Env: vars})
	line := p.WaitLine(startup, "listens on http://127.0.0.1:")
	if !strings.Contains(line, "review×2") || !strings.Contains(line, "assay.db") {
		t.Errorf("it says %q", line)
	}
	setupLink := regexp.MustCompile(`^http://127\.0\.0\.1:\d+/setup#token=assay_setup_[A-Za-z0-9_]+$`)
	if link := strings.TrimSpace(p.WaitLine(startup, "/setup#token=")); !setupLink.MatchString(link) {
		t.Errorf("the setup link is %q", link)
	}
	p.WaitLine(startup, "assay doctor")

	second := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"worker"}, Dir: dir, Env: vars})
	second.WaitLine(startup, "another assay process uses")
	if code := second.Wait(startup); code != exitFailed {
		t.Errorf("a second process: exit code %d", code)
	}
	terminate(t, p)
}

// Two API processes of one instance print one link to the setup page, and the second one says where the
// link is. A restart of the only process on a file prints a new one.
func TestSetupLinkOfTwoProcesses(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"ASSAY_DATABASE_URL": testkit.Postgres(t), "ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off"}
	good(t, command(t, vars, "migrate"))
	first := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"api"}, Env: vars})
	first.WaitLine(startup, "/setup#token=")
	second := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"api"}, Env: vars})
	if line := second.WaitLine(startup, "This instance has no manager yet"); !strings.Contains(line, "Another process") || !strings.Contains(line, "assay setup-token") {
		t.Errorf("the second process says %q", line)
	}
	terminate(t, second)
	if strings.Contains(strings.Join(second.Lines(), "\n"), "#token=") {
		t.Error("the second process prints a link, too")
	}
	terminate(t, first)

	vars = map[string]string{"ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off"}
	for range 2 {
		p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: vars})
		p.WaitLine(startup, "/setup#token=")
		terminate(t, p)
	}
}

// Behind a proxy that is not configured, the start names the setting.
func TestServeBehindAProxy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		vars map[string]string
		says bool
	}{
		"https, which a proxy must end":   {map[string]string{"ASSAY_PUBLIC_BASE_URL": "https://assay.example.com"}, true},
		"http, and a proxy that ends TLS": {map[string]string{"ASSAY_PUBLIC_BASE_URL": "http://assay.internal", "ASSAY_TRUST_PROXY_TLS": "true"}, true},
		"the proxy is named":              {map[string]string{"ASSAY_PUBLIC_BASE_URL": "https://assay.example.com", "ASSAY_TRUSTED_PROXIES": "127.0.0.1/32"}, false},
		"no proxy":                        {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vars := map[string]string{"ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off"}
			maps.Copy(vars, tc.vars)
			p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: vars})
			p.WaitLine(startup, "This instance has no manager yet")
			terminate(t, p)
			if says := strings.Contains(strings.Join(p.Lines(), "\n"), "ASSAY_TRUSTED_PROXIES"); says != tc.says {
				t.Errorf("it names the setting: %v, want %v", says, tc.says)
			}
		})
	}
}

func TestServeOnATakenPort(t *testing.T) {
	t.Parallel()
	port := testkit.FreePort(t)
	first := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: map[string]string{"ASSAY_LISTEN": "127.0.0.1:" + itoa(port), "ASSAY_METRICS_LISTEN": "off"}})
	first.WaitLine(startup, "listens on")
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: map[string]string{"ASSAY_LISTEN": "127.0.0.1:" + itoa(port), "ASSAY_METRICS_LISTEN": "off"}})
	p.WaitLine(startup, "ASSAY_LISTEN")
	if code := p.Wait(startup); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
}

// demoOf starts a demo and finds its parts.
type demoOf struct {
	*testing.T
	process *testkit.Process
	github  *simclient.Client
	link    string
}

var pullLine = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/` + sample.Repository + `/pull/1`)

func startDemo(t *testing.T, dir string, args ...string) demoOf {
	t.Helper()
	const token = "control"
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: append([]string{"serve", "--demo"}, args...), Dir: dir,
		Env: map[string]string{controlToken: token, "ASSAY_LISTEN": "127.0.0.1:" + itoa(testkit.FreePort(t)), "ASSAY_METRICS_LISTEN": "off"}})
	link := strings.TrimSpace(p.WaitLine(startup, "/auth/break-glass#token="))
	m := pullLine.FindStringSubmatch(p.WaitLine(startup, "/pull/1"))
	if m == nil {
		t.Fatal("the address of the simulated host is missing")
	}
	return demoOf{t, p, simclient.New(m[1], token), link}
}

// reviewed waits until a pull request has a visible review and a finished check run, and returns both.
func (d demoOf) reviewed(number int) (simapi.Review, simapi.CheckRun) {
	d.Helper()
	var reviews []simapi.Review
	var check simapi.CheckRun
	testkit.Eventually(d.T, 2*time.Minute, func() (bool, string) {
		var err error
		if reviews, err = d.github.VisibleReviews(d.Context(), sample.Repository, number); err != nil || len(reviews) == 0 {
			return false, fmt.Sprintf("pull request %d has no review (%v)", number, err)
		}
		pull, err := d.github.GetPull(d.Context(), sample.Repository, number)
		if err != nil {
			return false, err.Error()
		}
		all, err := d.github.CheckRuns(d.Context(), sample.Repository)
		if err != nil {
			return false, err.Error()
		}
		for _, c := range all {
			if c.HeadSHA == pull.HeadSHA && c.Status == "completed" {
				check = c
				return true, ""
			}
		}
		return false, fmt.Sprintf("pull request %d has no finished check run", number)
	})
	return reviews[0], check
}

func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := startDemo(t, dir)
	pulls := sample.PullRequests()
	for _, p := range pulls {
		review, check := d.reviewed(p.Number)
		d.expect(p, review, check)
	}
	judged(t, d.github.BaseURL()+"/"+sample.Repository+"/pull/"+itoa(sample.PagesTicket().Pull))
	d.holds()
	d.shows(d.signsIn())
	d.decides()

	other := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve", "--demo"}, Dir: dir})
	other.WaitLine(startup, "another demo uses")
	if code := other.Wait(startup); code != exitFailed {
		t.Errorf("a second demo: exit code %d", code)
	}

	for _, p := range pulls { // nothing happens any more
		got, err := d.github.Reviews(t.Context(), sample.Repository, p.Number)
		got = slices.DeleteFunc(got, func(r simapi.Review) bool { return len(r.Comments) == 1 && r.Comments[0].InReplyTo != 0 }) // the host makes one of each reply
		if err != nil || len(got) != 1 {
			t.Errorf("pull request %d has %d reviews (%v)", p.Number, len(got), err)
		}
	}
	terminate(t, d.process)
	d.childrenEnd()

	kept := startDemo(t, dir, "--keep")
	kept.process.WaitLine(startup, "a person has decided on its review")
	kept.process.WaitLine(startup, "reviewed: #3")
	if got, err := kept.github.Reviews(t.Context(), sample.Repository, 1); err != nil || len(got) != 1 {
		t.Errorf("after a restart: %d reviews (%v)", len(got), err)
	}
	answersPeople(t, kept.github.BaseURL()+"/"+sample.Repository+"/pull/1", databaseOf(dir, "demo"), sample.Repository)
	kept.process.Signal(syscall.SIGKILL)
	kept.process.Wait(drain)
	kept.childrenEnd()
}

// holds checks that the review of one more pull request waits for a person, and that the demo prints
// where to decide.
func (d demoOf) holds() {
	d.Helper()
	held := sample.Held()
	if line := d.process.WaitLine(2*time.Minute, "waits for approval: #"); !regexp.MustCompile(`: #1 ` + held.Title + `; decide at http://127\.0\.0\.1:\d+/t/\w+/repositories/\w+/runs/run_\w+\?tab=approval$`).MatchString(line) {
		d.Errorf("where to decide: %s", line)
	}
	got, err := d.github.Reviews(d.Context(), sample.Payouts, held.Number)
	if err != nil || len(got) != 0 {
		d.Errorf("the waiting review is on the pull request: %+v (%v)", got, err)
	}
}

// expect compares a published review with the planted faults.
func (d demoOf) expect(p sample.PullRequest, review simapi.Review, check simapi.CheckRun) {
	d.Helper()
	raw, err := json.Marshal([]any{review, check})
	if err != nil {
		d.Fatal(err)
	}
	at := map[string]simapi.Comment{}
	for _, c := range review.Comments {
		at[c.Path+":"+itoa(c.Line)] = c
	}
	for _, s := range p.PlantedSecrets {
		value := strings.Split(s.LineText, `"`)[1]
		if _, ok := at[s.Path+":"+itoa(s.Line)]; !ok {
			d.Errorf("#%d: no comment on the secret in line %d: %v", p.Number, s.Line, review.Comments)
		}
		if strings.Contains(string(raw), value) {
			d.Errorf("#%d: the review shows the secret", p.Number)
		}
	}
	for _, b := range p.PlantedBugs {
		c, ok := at[b.Path+":"+itoa(b.Line)]
		if !ok || c.StartLine != b.StartLine || !strings.Contains(c.Body, b.Title) || !strings.Contains(c.Body, "```suggestion\n"+b.Suggestion+"\n```") {
			d.Errorf("#%d: the bug in %s:%d-%d got %+v", p.Number, b.Path, b.StartLine, b.Line, c)
		}
	}
	if n := len(p.PlantedBugs) + len(p.PlantedSecrets); len(review.Comments) != n {
		d.Errorf("#%d: %d inline comments, want %d", p.Number, len(review.Comments), n)
	} else if n == 0 && (check.Conclusion != "success" || visibleLines(review.Body) > 3 || !strings.Contains(review.Body, p.Synopsis)) {
		d.Errorf("#%d is clean and got the check %s and\n%s", p.Number, check.Conclusion, review.Body)
	}
	if len(p.PlantedSecrets) > 0 && check.Conclusion != "failure" {
		d.Errorf("#%d has a secret and got the check %s", p.Number, check.Conclusion)
	}
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// visibleLines counts the lines that a person sees.
func visibleLines(body string) (n int) {
	for line := range strings.Lines(comment.ReplaceAllString(body, "")) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// signsIn follows the printed link like a browser, and returns the browser.
func (d demoOf) signsIn() *http.Client {
	d.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: 30 * time.Second}
	at, err := url.Parse(d.link)
	if err != nil {
		d.Fatal(err)
	}
	read := func(res *http.Response, err error) int {
		d.Helper()
		if err != nil {
			d.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	base := at.Scheme + "://" + at.Host
	if code := read(browser.Get(base + "/api/me")); code != http.StatusUnauthorized {
		d.Errorf("before: status %d", code)
	}
	if code := read(browser.Get(d.link)); code != http.StatusOK {
		d.Errorf("the link: status %d", code)
	}
	_, token, _ := strings.Cut(at.Fragment, "token=")
	if code := read(browser.PostForm(base+at.Path, url.Values{"token": {token}, "show": {"1"}})); code != http.StatusOK {
		d.Errorf("the account of the link: status %d", code)
	}
	if code := read(browser.PostForm(base+at.Path, url.Values{"token": {token}})); code != http.StatusOK {
		d.Errorf("signing in: status %d", code)
	}
	if code := read(browser.Get(base + "/api/me")); code != http.StatusOK {
		d.Errorf("after: status %d", code)
	}
	if code := read(browser.PostForm(base+at.Path, url.Values{"token": {token}, "show": {"1"}})); code != http.StatusNotFound {
		d.Errorf("the link once more: status %d", code)
	}
	return browser
}

// childrenEnd waits until the simulated host is gone.
func (d demoOf) childrenEnd() {
	d.Helper()
	testkit.Eventually(d.T, 30*time.Second, func() (bool, string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := d.github.CheckRuns(ctx, sample.Repository)
		return err != nil && strings.Contains(err.Error(), "refused"), "the simulated host outlives the demo"
	})
}
