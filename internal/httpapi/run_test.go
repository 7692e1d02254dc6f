package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

const hostile = `<script>alert("x")</script>{{.}}`

// fill gives the world's run findings, usage, coverage, an end and a published review.
func (w *world) fill() {
	w.t.Helper()
	t, s, run := w.Tenant, w.store, w.Run
	f := func(rule, title string, route domain.Route, sev domain.Severity) domain.Finding {
		return domain.Finding{Origin: domain.OriginModel, RuleID: rule, Category: domain.CategoryBug, Severity: sev, Confidence: .9, Title: title, Explanation: "Why " + hostile,
			Anchor: domain.Anchor{Path: "a/b.go", Side: domain.Right, StartLine: 7, EndLine: 9, Level: domain.AnchorLine}, Fingerprints: domain.Fingerprints{Exact: rule},
			Verdict: domain.VerdictConfirmed, Route: route, State: domain.FindingOpen}
	}
	first := f("llm/x", hostile, domain.RouteInline, domain.High)
	first.VerdictWhy = "It was run. " + hostile
	first.Evidence = []domain.Evidence{{Kind: "code", Path: "a/c.go", Start: 3, End: 4, Quote: "quoted(" + hostile + ")", Note: "noted"}}
	first.Suggestion = &domain.Suggestion{Path: "a/b.go", Start: 7, End: 9, Old: "old()", New: "new(" + hostile + ")", Applies: true}
	_, err := s.SaveRunFindings(bg, run, []domain.Finding{first, f("llm/y", "kept", domain.RouteStored, domain.Info)})
	must(w.t, err)
	cost := int64(1234)
	for _, c := range []store.ModelCall{{Tier: "standard", Model: "m1", Input: 1000, Cached: 400, Output: 50, CostMicros: &cost, Outcome: "ok"}, {Tier: "fast", Model: "m2", Input: 10, Output: 5, Outcome: "ok"}} {
		c.Repository, c.Run, c.Stage, c.Credential = run.Repository, run.ID, "generate", "crd_1"
		id, err := s.BeginCall(bg, t, c)
		must(w.t, err)
		_, err = s.EndCall(bg, t, id, c)
		must(w.t, err)
	}
	must(w.t, s.SetRunResult(bg, t, run.ID, "T2", "complete", `{"reviewed":[{"path":"a/b.go"}],"skimmed":null,"skipped":[{"path":"go.sum","why":"generated"}],"files":2,"additions":3,"deletions":1,"tierWhy":"sensitive","synopsis":"Adds a sum.","notices":["Watch out."]}`))
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning, Cause: "claimed"}, {From: domain.RunRunning, To: domain.RunPublishing, Cause: "judged"}} {
		_, err := s.MoveRun(bg, t, run.ID, m)
		must(w.t, err)
	}
	out, err := s.CreateOutput(bg, t, run.ID, "", `{"kind":"review","payload":{}}`, "digest")
	must(w.t, err)
	job := storetest.Job(w.t, s, domain.KindPublish, t.ID, run.ID)
	claimed, err := s.Claim(bg, job.ID, "worker", 60e9)
	must(w.t, err)
	p, err := s.Prepare(bg, t, store.Publication{Run: run.ID, Output: out.ID, Kind: "review", Payload: "{}", PayloadSHA256: "x"}, job.ID, claimed.Gen)
	must(w.t, err)
	moved, err := s.MovePublication(bg, t, p.ID, p.Gen, domain.PhasePrepared, domain.PhasePublished, "https://host.example/pr/1#review-5", "")
	must(w.t, err)
	if !moved {
		w.t.Fatal("the publication was not moved")
	}
	_, err = s.MoveRun(bg, t, run.ID, store.RunMove{From: domain.RunPublishing, To: domain.RunCompleted, Cause: "published"})
	must(w.t, err)
}

func TestRunDetail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var d httpapi.ReviewRunDetail
		w.into(&d, w.call(member, "GET", w.repo()+"/review-runs/"+w.Run.ID, ""))
		if d.State != "queued" || d.Publication != nil || len(d.Findings) != 0 || len(d.Transitions) != 1 || d.StartedAt != nil || d.Coverage.Reviewed == nil {
			t.Fatalf("a queued run: %+v", d)
		}
		w.fill()
		w.into(&d, w.call(member, "GET", w.repo()+"/review-runs/"+w.Run.ID, ""))
		if d.State != "completed" || d.Tier != "T2" || d.ModelState != "complete" || d.TierReason != "sensitive" || d.Synopsis != "Adds a sum." || len(d.Notices) != 1 || d.FinishedAt == nil {
			t.Errorf("run: %+v", d)
		}
		if len(d.Findings) != 2 || d.Findings[0].Title != hostile || d.Findings[0].Severity != "high" || d.Findings[0].StartLine != 7 || d.Findings[0].Suggestion == nil || d.Findings[1].Route != "stored" {
			t.Errorf("findings: %+v", d.Findings)
		}
		if len(d.Usage) != 2 || d.Usage[0].Model != "m2" || d.Usage[0].CostMicros != nil || d.Usage[1].CostMicros == nil || *d.Usage[1].CostMicros != 1234 || d.Usage[1].CachedInputTokens != 400 || d.Usage[1].Calls != 1 {
			t.Errorf("usage: %+v", d.Usage)
		}
		if d.Publication == nil || d.Publication.Phase != "PUBLISHED" || d.Publication.URL == "" {
			t.Errorf("publication: %+v", d.Publication)
		}
		if len(d.Transitions) != 4 || d.Transitions[3].To != "completed" || d.Transitions[3].Cause != "published" {
			t.Errorf("transitions: %+v", d.Transitions)
		}
		if c := d.Coverage; c.Files != 2 || len(c.Reviewed) != 1 || c.Skimmed == nil || len(c.Skipped) != 1 || c.Skipped[0].Why != "generated" {
			t.Errorf("coverage: %+v", c)
		}
	})
}

// The answer and the page show the present state of a finding, its evidence and the verifier's verdict.
func TestWhatBecameOfAFinding(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		path := w.repo() + "/review-runs/" + w.Run.ID
		read := func() httpapi.Finding {
			var d httpapi.ReviewRunDetail
			w.into(&d, w.call(member, "GET", path, ""))
			return d.Findings[0]
		}
		got := read()
		if len(got.Evidence) != 1 || got.Evidence[0].Path != "a/c.go" || got.Evidence[0].StartLine != 3 || got.Evidence[0].EndLine != 4 || got.Evidence[0].Note != "noted" {
			t.Errorf("evidence: %+v", got.Evidence)
		}
		if got.Since == nil || got.Since.State != "open" || got.Since.ResolvedRunID != "" {
			t.Errorf("since, at first: %+v", got.Since)
		}
		later := storetest.Run(t, s, w.Pull, "cmd:later")
		_, err := s.SetComment(bg, w.Tenant, got.ID, "", "7", "https://host.example/pr/1#comment-7")
		must(t, err)
		must(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, later.ID, []string{got.ID}, domain.FindingResolved))
		got = read()
		if got.State != "open" || got.Since == nil || *got.Since != (httpapi.Since{State: "resolved", ResolvedRunID: later.ID, CommentURL: "https://host.example/pr/1#comment-7"}) {
			t.Errorf("state %s, since %+v", got.State, got.Since)
		}
	})
}

// A review names the newest completed review of a newer head. Another review of its own head is not newer.
func TestRunOfAnOlderHead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		newer := func() string {
			var d httpapi.ReviewRunDetail
			w.into(&d, w.call(member, "GET", w.repo()+"/review-runs/"+w.Run.ID, ""))
			if d.Issues == nil {
				t.Error("the issues of a pull request without any are null")
			}
			return d.NewerRunID
		}
		complete := func(trigger, head string) string {
			pull := w.Pull
			pull.HeadSHA = head
			run := storetest.Run(t, s, pull, trigger)
			for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}, {From: domain.RunPublishing, To: domain.RunCompleted}} {
				_, err := s.MoveRun(bg, w.Tenant, run.ID, m)
				must(t, err)
			}
			return run.ID
		}
		complete("cmd:again", w.Run.HeadSHA)
		if got := newer(); got != "" {
			t.Errorf("after another review of the same head: %s", got)
		}
		if want, got := complete("cmd:newer", storetest.SHA("newer")), newer(); got != want {
			t.Errorf("newer run %q, want %q", got, want)
		}
	})
}

func TestRunList(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		made := []string{w.Run.ID}
		for _, key := range []string{"cmd:1", "cmd:2", "cmd:3", "cmd:4"} {
			made = append(made, storetest.Run(t, s, w.Pull, key).ID)
		}
		path := w.repo() + "/review-runs?limit=2"
		var seen []string
		last := httpapi.ReviewRun{ID: "z", CreatedAt: time.Now().Add(time.Hour)}
		for next := path; next != ""; {
			var l httpapi.List[httpapi.ReviewRun]
			w.into(&l, w.call(member, "GET", next, ""))
			for _, r := range l.Items {
				seen = append(seen, r.ID)
				if c := r.CreatedAt.Compare(last.CreatedAt); c > 0 || c == 0 && r.ID > last.ID {
					t.Errorf("%s is listed after %s, but is newer", r.ID, last.ID)
				}
				last = r
				if r.PullRequest.Title != "Change" || r.PullRequest.Number != 1 {
					t.Errorf("pull request: %+v", r.PullRequest)
				}
			}
			if next = ""; l.NextCursor != "" {
				next = path + "&cursor=" + l.NextCursor
			}
		}
		slices.Sort(seen)
		slices.Sort(made)
		if !slices.Equal(seen, made) {
			t.Errorf("pages: %v of %v", seen, made)
		}
		count := func(query string) int {
			var l httpapi.List[httpapi.ReviewRun]
			w.into(&l, w.call(member, "GET", w.repo()+"/review-runs?"+query, ""))
			return len(l.Items)
		}
		if count("state=queued") != 5 || count("state=failed") != 0 || count("number=1") != 5 || count("number=2") != 0 {
			t.Error("the filters do not narrow the list")
		}
		for name, query := range map[string]string{
			"limit 0": "limit=0", "limit 201": "limit=201", "limit a word": "limit=canary", "unknown state": "state=canary", "number 0": "number=0",
			"unknown parameter": "canary=1", "letter case": "Limit=5", "cursor of nothing": "cursor=canary", "cursor of three": "cursor=YQ.YQ.YQ", "cursor not base 64": "cursor=%2F.%2F",
			"negative time": "cursor=LTE.YQ", "huge number": "number=99999999999999999999",
		} {
			t.Run(name, func(t *testing.T) {
				got := w.call(member, "GET", w.repo()+"/review-runs?"+query, "")
				if got.status != http.StatusUnprocessableEntity || problemOf(t, got) != "invalid" || !strings.Contains(got.body, `"errors":[{`) || strings.Contains(got.body, "canary") {
					t.Errorf("%d %s", got.status, got.body)
				}
			})
		}
	})
}

func TestRerun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.repo() + "/review-runs/" + w.Run.ID + "/rerun"
		first := w.call(admin, "POST", path, "", header("Idempotency-Key", "press-of-a-button"))
		again := w.call(admin, "POST", path, "", header("Idempotency-Key", "press-of-a-button"))
		other := w.call(admin, "POST", path, "")
		where := first.header.Get("Location")
		if first.status != http.StatusAccepted || again.header.Get("Location") != where || other.header.Get("Location") == where {
			t.Fatalf("%d %s; %s; %s", first.status, where, again.header.Get("Location"), other.header.Get("Location"))
		}
		if got := w.call(member, "GET", where, ""); got.status != http.StatusOK || !strings.Contains(got.body, `"trigger":"rerun"`) {
			t.Errorf("the run at Location: %d %s", got.status, got.body)
		}
		if got := w.call(admin, "POST", path, "", header("Idempotency-Key", "short")); got.status != http.StatusUnprocessableEntity {
			t.Errorf("a short key: %d", got.status)
		}
		w.rerun.err = errs.New(errs.Conflict, "pull_request_closed", "The pull request is not open any more.")
		if got := w.call(admin, "POST", path, ""); got.status != http.StatusConflict || problemOf(t, got) != "pull_request_closed" {
			t.Errorf("a closed pull request: %d %s", got.status, got.body)
		}
	})
	t.Run("no review service in this process", func(t *testing.T) {
		w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.Rerun = nil })
		if got := w.call(admin, "POST", w.repo()+"/review-runs/"+w.Run.ID+"/rerun", ""); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, `"requestId":"`+got.header.Get("X-Request-Id")+`"`) {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestTenantReads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var me httpapi.Me
		w.into(&me, w.call(member, "GET", "/api/me", ""))
		if me.Name != member || me.CSRFToken != w.people[member].csrf || me.InstanceAdmin || me.Session.Method != "link" {
			t.Errorf("me: %+v", me)
		}
		var tenants httpapi.List[httpapi.MyTenant]
		w.into(&tenants, w.call(admin, "GET", "/api/me/tenants", ""))
		if len(tenants.Items) != 1 || tenants.Items[0].ID != w.Tenant.ID || tenants.Items[0].Role != "admin" {
			t.Errorf("tenants: %+v", tenants)
		}
		tenants = httpapi.List[httpapi.MyTenant]{}
		w.into(&tenants, w.call(instanceAdmin, "GET", "/api/me/tenants", ""))
		if tenants.Items == nil || len(tenants.Items) != 0 {
			t.Errorf("an instance admin's tenants: %+v", tenants)
		}
		var a httpapi.Access
		w.into(&a, w.call(member, "GET", "/api/tenants/"+w.Tenant.ID+"/access", ""))
		if a.Role != "member" || strings.Join(a.Permissions, " ") != "tenant:view" || len(a.Repositories) != 1 || strings.Join(a.Repositories[0].Permissions, " ") != "repo:view" {
			t.Errorf("a member's access: %+v", a)
		}
		w.into(&a, w.call(admin, "GET", "/api/tenants/"+w.Tenant.ID+"/access", ""))
		if strings.Join(a.Permissions, " ") != "tenant:view tenant:manage" || a.Repositories[0].Role != "manage" || len(a.Repositories[0].Permissions) != 3 {
			t.Errorf("an admin's access: %+v", a)
		}
		want := map[string]bool{w.Repository.ID: true}
		for range 4 {
			r := storetest.Repository(t, s, w.Tenant, w.Installation)
			w.role(member, r, "view")
			want[r.ID] = true
		}
		storetest.Repository(t, s, w.Tenant, w.Installation) // the member does not have a role on this one
		path := "/api/tenants/" + w.Tenant.ID + "/repositories?limit=2"
		pages := 0
		for next := path; next != ""; pages++ {
			var l httpapi.List[httpapi.Repository]
			w.into(&l, w.call(member, "GET", next, ""))
			for _, r := range l.Items {
				if !want[r.ID] {
					t.Errorf("the repository %s is listed twice, or belongs to another tenant", r.ID)
				}
				delete(want, r.ID)
			}
			if next = ""; l.NextCursor != "" {
				next = path + "&cursor=" + l.NextCursor
			}
		}
		if len(want) != 0 || pages != 3 {
			t.Errorf("%d pages, left over: %v", pages, want)
		}
	})
}
