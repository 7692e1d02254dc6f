package github

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/testkit"
	simgithub "github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// simulated is a simulated GitHub with one installed app and one repository.
type simulated struct {
	*simgithub.Server
	url     string
	install simapi.Installation
	author  simapi.User
	repo    simapi.Repo

	interrupt *codehosttest.Interrupt // belongs to the last host that was opened
}

const simFile = "package demo\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n"

func newSim(t *testing.T) *simulated {
	t.Helper()
	s := &simulated{}
	srv, err := simgithub.New(simgithub.Options{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	srv.SetBaseURL(web.URL)
	s.Server, s.url = srv, web.URL
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.author, err = srv.CreateUser(ctx, simapi.UserSpec{Login: "ann"})
	ok(err)
	_, err = srv.CreateUser(ctx, simapi.UserSpec{Login: "octo", Type: "Organization"})
	ok(err)
	s.repo, err = srv.CreateRepo(ctx, simapi.RepoSpec{Owner: "octo", Name: "demo", Files: map[string]string{"README.md": "# Demo\n"},
		Collaborators: map[string]string{"ann": "write"}})
	ok(err)
	public, err := x509.MarshalPKIXPublicKey(&appKey().PublicKey)
	ok(err)
	_, err = srv.RegisterApp(ctx, simapi.AppSpec{ID: testApp, Slug: "assay-test",
		PublicKeyPEM: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))})
	ok(err)
	allowed := simapi.DefaultPermissions()
	allowed["contents"] = "write" // for commits; the app requests less
	s.install, err = srv.Install(ctx, simapi.InstallSpec{AppID: testApp, Account: "octo", Permissions: allowed})
	ok(err)
	return s
}

func (s *simulated) host(t *testing.T, gate codehost.Gate) *Host {
	t.Helper()
	tr := &http.Transport{Proxy: nil}
	t.Cleanup(tr.CloseIdleConnections)
	s.interrupt = &codehosttest.Interrupt{Next: tr, Match: func(r *http.Request) bool {
		return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/git/refs/")
	}}
	h, err := New(Config{AppID: domain.NumberID(testApp), PrivateKeyPEM: keyPEM(appKey()), APIURL: s.url + "/api/v3", HTTP: &http.Client{Transport: s.interrupt}, Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// as sends one request as a person.
func (s *simulated) as(t *testing.T, user simapi.User, method, path string, body any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+user.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
}

// says writes a comment of the author on lines, and resolves its thread.
func (s *simulated) says(t *testing.T, pull simapi.Pull, first, last int, body string, resolved bool) {
	t.Helper()
	comment := map[string]any{"path": "half.go", "side": "RIGHT", "line": last, "body": body, "commit_id": pull.HeadSHA}
	if first < last {
		comment["start_line"], comment["start_side"] = first, "RIGHT"
	}
	s.as(t, s.author, http.MethodPost, fmt.Sprintf("/api/v3/repos/octo/demo/pulls/%d/comments", pull.Number), comment)
	if !resolved {
		return
	}
	reviews, err := s.Reviews("octo/demo", pull.Number)
	if err != nil {
		t.Fatal(err)
	}
	s.close(t, "ann", reviews[len(reviews)-1].Comments[0].ID)
}

// close closes the thread of an inline comment.
func (s *simulated) close(t *testing.T, actor string, comment int64) {
	t.Helper()
	resolved := true
	testkit.OK(t, s.EditComment(t.Context(), "octo/demo", comment, shared.EditSpec{Actor: actor, Resolve: &resolved}))
}

// react reacts to an inline comment as a person.
func (s *simulated) react(t *testing.T, pull simapi.Pull, r codehosttest.Thumb) {
	t.Helper()
	id, err := number("react", "comment", r.Comment)
	if err != nil {
		t.Fatal(err)
	}
	content := map[bool]string{true: "+1", false: "-1"}[r.Up]
	if r.Other {
		content = "rocket"
	}
	if _, err := s.React(t.Context(), "octo/demo", pull.Number,
		simapi.ReactionSpec{Actor: r.Actor, Comment: id, Content: content, Remove: r.Remove}); err != nil {
		t.Fatal(err)
	}
}

// ended opens a pull request and merges or closes it.
func (s *simulated) ended(t *testing.T, title string, merged bool) int {
	t.Helper()
	ctx, branch := t.Context(), fmt.Sprintf("ended-%x", title)
	if _, err := s.Commit(ctx, "octo/demo", simapi.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{branch: branch}}); err != nil {
		t.Fatal(err)
	}
	p, err := s.OpenPull(ctx, "octo/demo", simapi.PullSpec{Title: title, Head: branch, Author: "ann"})
	if err == nil {
		_, err = s.UpdatePull(ctx, "octo/demo", p.Number, simapi.PullUpdate{State: map[bool]string{true: "merged", false: "closed"}[merged]})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p.Number
}

func TestConformanceOnTheSimulatedHost(t *testing.T) {
	t.Parallel()
	codehosttest.Run(t, func(t *testing.T) *codehosttest.Fixture {
		s := newSim(t)
		ctx := t.Context()
		commit, err := s.Commit(ctx, "octo/demo", simapi.CommitSpec{Branch: "topic", From: s.repo.HeadSHA, Files: map[string]string{"half.go": simFile}, Author: "ann", Message: "Halve"})
		if err != nil {
			t.Fatal(err)
		}
		pull, err := s.OpenPull(ctx, "octo/demo", simapi.PullSpec{Title: "Halve", Head: "topic", Author: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		s.people(t)
		gate := &codehosttest.Gate{}
		h := s.host(t, gate)
		return &codehosttest.Fixture{
			Host: h, Gate: gate, Number: pull.Number, Head: commit.SHA, Base: s.repo.HeadSHA, Author: "ann",
			Repo: codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"},
			Path: "half.go", Text: simFile, Line: 4,
			Fault: func(f codehosttest.Fault) {
				t.Helper()
				if _, err := s.SetFault(simFault(f)); err != nil {
					t.Fatal(err)
				}
			},
			Foreign: func(n int) {
				for i := range n {
					s.as(t, s.author, http.MethodPost, fmt.Sprintf("/api/v3/repos/octo/demo/pulls/%d/reviews", pull.Number),
						map[string]any{"event": "COMMENT", "body": fmt.Sprint("note ", i)})
				}
			},
			CI: func(workflow, commit string, jobs ...codehosttest.CIJob) []domain.HostID {
				return s.ci(t, workflow, commit, jobs)
			},
			SetStatus: func(name, conclusion, description, url, commit string) {
				s.as(t, s.author, http.MethodPost, "/api/v3/repos/octo/demo/statuses/"+commit,
					map[string]any{"state": cmp.Or(conclusion, "pending"), "context": name, "description": description, "target_url": url})
			},
			FaultDelete: func(f codehosttest.Fault) { s.fault(t, f, "DELETE", "^/repos/") },
			Reviewer:    "rob", Stranger: "eve",
			Branches: s.branches(t),
			Says:     func(first, last int, body string, resolved bool) { s.says(t, pull, first, last, body, resolved) },
			Close: func(actor string, comment domain.HostID) {
				id, err := number("close", "comment", comment)
				testkit.OK(t, err)
				s.close(t, actor, id)
			},
			React: func(r codehosttest.Thumb) { s.react(t, pull, r) },
			Ended: func(title string, merged bool) int { return s.ended(t, title, merged) },
			OpenIssue: func(title, body string) int {
				made, err := s.OpenIssue(t.Context(), "octo/demo", shared.IssueSpec{Title: title, Body: body})
				if err != nil {
					t.Fatal(err)
				}
				return made.Number
			},
			MorePull: func(n int) {
				for i := range n {
					branch := fmt.Sprint("more-", i)
					if _, err := s.Commit(ctx, "octo/demo", simapi.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{branch: branch}}); err != nil {
						t.Fatal(err)
					}
					if _, err := s.OpenPull(ctx, "octo/demo", simapi.PullSpec{Title: branch, Head: branch, Author: "ann"}); err != nil {
						t.Fatal(err)
					}
				}
			},
			Checks: func() []codehost.Check {
				t.Helper()
				runs, err := s.CheckRuns("octo/demo")
				if err != nil {
					t.Fatal(err)
				}
				var out []codehost.Check
				for _, r := range runs {
					out = append(out, codehost.Check{ExternalID: r.ExternalID, Name: r.Name, HeadSHA: r.HeadSHA, Status: r.Status,
						Conclusion: r.Conclusion, Title: markdown.Stored(r.Title), Summary: markdown.Stored(r.Summary)})
				}
				return out
			},
		}
	})
}

// simFault affects the next write to the repository. Requests for tokens do not count as writes.
func simFault(f codehosttest.Fault) simapi.Fault {
	out := simapi.Fault{Method: "WRITE", Path: "^/repos/"}
	switch f {
	case codehosttest.ApplyThen500:
		out.Action, out.Status = simapi.ApplyThenStatus, 500
	case codehosttest.ApplyThenReset:
		out.Action = simapi.ApplyThenReset
	case codehosttest.Refuse:
		out.Action = simapi.Refuse
	case codehosttest.LimitHeader:
		out.Action, out.RetrySeconds = simapi.SecondaryRetryAfter, 45
	case codehosttest.LimitText:
		out.Action = simapi.SecondaryBodyOnly
	case codehosttest.Deny:
		out.Action = simapi.Forbidden
	}
	return out
}

func TestDatesOfAHostWithAWrongClock(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	if err := s.Configure(simapi.Settings{ClockOffsetSeconds: 120}); err != nil {
		t.Fatal(err)
	}
	gate := &codehosttest.Gate{}
	h := s.host(t, gate)
	for name, tc := range map[string]struct {
		fault     simapi.Fault
		low, high time.Duration
	}{
		"retry date": {simapi.Fault{Action: simapi.SecondaryRetryDate, RetrySeconds: 45}, 43 * time.Second, 47 * time.Second},
		"primary":    {simapi.Fault{Action: simapi.PrimaryLimit, RetrySeconds: 90}, 88 * time.Second, 93 * time.Second},
	} {
		tc.fault.Path = "^/app$"
		if _, err := s.SetFault(tc.fault); err != nil {
			t.Fatal(err)
		}
		_, err := h.App(t.Context())
		if d := codehost.RetryAfter(err); codehost.ClassOf(err) != codehost.ClassLimited || d < tc.low || d > tc.high {
			t.Errorf("%s: %v, retry after %v", name, err, d)
		}
	}
}

// Deliveries of the simulated host are read and verified. Failed deliveries are found and requested again.
func TestDeliveriesOfTheSimulatedHost(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	type delivery struct {
		header http.Header
		body   []byte
	}
	got := make(chan delivery, 20)
	refuse := make(chan bool, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r.Body)
		select {
		case <-refuse:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		default:
		}
		got <- delivery{r.Header.Clone(), b.Bytes()}
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(receiver.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	key := "hook-" + "key"
	if err := s.UpdateApp(ctx, testApp, simapi.AppUpdate{WebhookURL: &receiver.URL, WebhookSecret: &key}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, "octo/demo", simapi.CommitSpec{Branch: "topic", From: s.repo.HeadSHA, Files: map[string]string{"half.go": simFile}}); err != nil {
		t.Fatal(err)
	}
	if err := s.WaitDeliveries(ctx); err != nil {
		t.Fatal(err)
	}
	for len(got) > 0 { // of the commit
		<-got
	}
	refuse <- true
	if _, err := s.OpenPull(ctx, "octo/demo", simapi.PullSpec{Title: "Halve", Head: "topic", Author: "ann"}); err != nil {
		t.Fatal(err)
	}
	if err := s.WaitDeliveries(ctx); err != nil {
		t.Fatal(err)
	}
	h := s.host(t, &codehosttest.Gate{})
	list, err := h.HookDeliveries(ctx, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	lost := Undelivered(list)
	if len(lost) != 1 {
		t.Fatalf("undelivered %+v of %+v", lost, list)
	}
	for len(got) > 0 {
		<-got
	}
	if err := h.Redeliver(ctx, lost[0].ID); err != nil {
		t.Fatal(err)
	}
	d := <-got
	head, err := ReadHeader(d.header)
	if err != nil || head.Delivery != lost[0].GUID || head.AppID() != domain.NumberID(testApp) {
		t.Fatalf("header %+v, %v", head, err)
	}
	if _, err := verify(d.body, head.Signature, hookKey(key)); err != nil {
		t.Fatal(err)
	}
	ev, err := Parse(head, d.body)
	if err != nil {
		t.Fatal(err)
	}
	if lost[0].Event == "pull_request" && (ev.Kind != codehost.KindPullRequest || ev.Action != "opened" || ev.Installation.ID != domain.NumberID(s.install.ID) || ev.PullRequest.Title != "Halve") {
		t.Fatalf("event %+v", ev)
	}
	if !strings.Contains(lost[0].Event, "pull_request") {
		t.Logf("the refused delivery was %s", lost[0].Event)
	}
}

type hookKey string

func (k hookKey) Reveal() string { return string(k) }

func TestAppLevelQuestionsToTheSimulatedHost(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	h := s.host(t, &codehosttest.Gate{})
	ctx := t.Context()
	a, err := h.App(ctx)
	if err != nil || a.ID != domain.NumberID(testApp) || a.Slug != "assay-test" {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, m := range Missing(a) {
		if strings.HasPrefix(m, "permission") {
			t.Errorf("missing %s", m)
		}
	}
	list, err := h.Installations(ctx)
	if err != nil || len(list) != 1 || list[0].ID != domain.NumberID(s.install.ID) || list[0].AccountLogin != "octo" || list[0].AccountType != "Organization" || list[0].Suspended {
		t.Fatalf("%+v, %v", list, err)
	}
	repos, err := h.InstallationRepositories(ctx, domain.NumberID(s.install.ID))
	if err != nil || len(repos) != 1 || repos[0].ExternalID != domain.NumberID(s.repo.ID) || repos[0].Name != "demo" || !repos[0].Private {
		t.Fatalf("%+v, %v", repos, err)
	}
	if r, err := h.Resolve(ctx, codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: domain.NumberID(s.repo.ID)}); err != nil || r != repos[0] {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := h.Resolve(ctx, codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: "999999"}); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Fatalf("absent: %v", err)
	}
	if _, err := h.InstallationRepositories(ctx, "999999"); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Fatalf("absent installation: %v", err)
	}
	on := true
	if err := s.UpdateInstallation(ctx, s.install.ID, simapi.InstallationUpdate{Suspend: &on}); err != nil {
		t.Fatal(err)
	}
	if one, err := h.Installation(ctx, domain.NumberID(s.install.ID)); err != nil || !one.Suspended {
		t.Fatalf("%+v, %v", one, err)
	}
	if _, err := h.PullRequest(ctx, codehost.Repo{Access: domain.NumberID(s.install.ID), Owner: "octo", Name: "demo"}, 1); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Fatalf("suspended: %v", err)
	}
}
