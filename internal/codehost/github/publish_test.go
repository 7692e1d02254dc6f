package github

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

func TestADraftOnTheWire(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var body string
	f.on("POST "+reviewPath, func(w http.ResponseWriter, r *http.Request) {
		var raw json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&raw)
		body = string(raw)
		reply(w, 200, map[string]any{"id": 1, "state": "PENDING", "user": map[string]any{"login": "assay-test[bot]", "id": 77, "type": "Bot"}})
	})
	h, _ := newHost(t, f)
	r, err := h.CreateDraft(t.Context(), testRepo, 7, draft)
	if err != nil || r.State != codehost.ReviewPending || !r.Mine {
		t.Fatalf("%+v, %v", r, err)
	}
	const want = `{"commit_id":"` + headSHA + `","body":"b","comments":[{"path":"a.go","body":"one","side":"RIGHT","line":3},` +
		`{"path":"a.go","body":"two","start_side":"LEFT","side":"LEFT","start_line":3,"line":5}]}`
	if body != want {
		t.Fatalf("sent %s\nwant %s", body, want)
	}
	if h.identity.known.id != 77 {
		t.Fatal("the account's number was not learned")
	}
}

func TestMine(t *testing.T) {
	t.Parallel()
	user := func(login, kind string, id int64) *gh.User { return &gh.User{Login: &login, Type: &kind, ID: &id} }
	self := account{login: "Assay-Test[bot]", id: 77}
	for name, tc := range map[string]struct {
		user *gh.User
		want bool
	}{
		"our bot":                 {user("assay-test[bot]", "Bot", 77), true},
		"our bot, number unknown": {user("assay-test[bot]", "Bot", 78), true},
		"renamed app":             {user("assay-old[bot]", "Bot", 77), true},
		"another bot":             {user("other[bot]", "Bot", 5), false},
		"a person":                {user("assay-test", "User", 77), false},
		"a person with our name":  {user("assay-test[bot]", "User", 5), false},
		"no account":              {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if self.is(tc.user) != tc.want || (account{}).is(tc.user) {
				t.Fatalf("is = %v", self.is(tc.user))
			}
		})
	}
	if (account{}).is(user("", "Bot", 0)) {
		t.Fatal("an unknown account equals a user")
	}
}

func TestTheOwnNameIsRememberedAndRefreshed(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	slug, status := "old", 200
	f.on("GET /app", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, status, map[string]any{"id": testApp, "slug": slug})
	})
	f.on("GET "+reviewPath, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, []any{map[string]any{"id": 1, "state": "APPROVED", "user": map[string]any{"login": "new[bot]", "type": "Bot", "id": 1}}, nil})
	})
	var mu sync.Mutex
	clock := at
	h, _ := newHost(t, f, func(c *Config) { c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return clock } })
	mine := func() bool {
		t.Helper()
		list, err := h.Reviews(t.Context(), testRepo, 7)
		if err != nil {
			t.Fatal(err)
		}
		return list[0].Mine
	}
	if mine() || mine() || f.count("GET /app") != 1 {
		t.Fatalf("asked %d times", f.count("GET /app"))
	}
	slug = "new"
	forward := func() { mu.Lock(); clock = clock.Add(identityLife); mu.Unlock() }
	if forward(); !mine() {
		t.Fatal("the new name was not learned")
	}
	status = 500
	if forward(); !mine() {
		t.Fatal("the old name was lost because the host did not answer")
	}
	unknown, _ := newHost(t, f)
	if _, err := unknown.Reviews(t.Context(), testRepo, 7); codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Fatalf("without a name: %v", err)
	}
}

func TestChecksAreFoundOnLaterPagesAndOnlyOurs(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	list := paged(t, f.URL, 205, func(i int) any {
		run := map[string]any{"id": i + 1, "name": "assay", "head_sha": headSHA, "external_id": "other", "app": map[string]any{"id": testApp}}
		switch i {
		case 150, 160:
			run["external_id"] = "run_1"
		case 204:
			run["external_id"], run["app"] = "run_1", map[string]any{"id": 1} // another app's
		}
		return run
	}, func(list []any) any { return map[string]any{"total_count": 205, "check_runs": list} })
	f.on("GET /repos/octo/demo/commits/"+headSHA+"/check-runs", func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("filter") != "all" || q.Get("check_name") != "assay" || q.Get("app_id") != "4711" {
			t.Errorf("asked for %s", r.URL.RawQuery)
		}
		list(w, r)
	})
	var sent map[string]any
	f.on("PATCH /repos/octo/demo/check-runs/161", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&sent)
		reply(w, 200, map[string]any{"id": 161})
	})
	h, _ := newHost(t, f)
	check := codehost.Check{Name: "assay", ExternalID: "run_1", HeadSHA: headSHA, Status: "completed", Conclusion: "neutral", Summary: markdown.Stored(strings.Repeat("é\n", 40000))}
	ids, err := h.FindChecks(t.Context(), testRepo, check)
	if err != nil || len(ids) == 0 || ids[0] != "161" {
		t.Fatalf("found %v, %v", ids, err)
	}
	if err := h.UpdateCheck(t.Context(), testRepo, ids[0], check); err != nil {
		t.Fatal(err)
	}
	out, _ := sent["output"].(map[string]any)
	summary, _ := out["summary"].(string)
	if n := utf8.RuneCountInString(summary); n > maxSummary || n < maxSummary-100 || !strings.HasSuffix(summary, "…") {
		t.Fatalf("a summary of %d characters", n)
	}
	if out["title"] != "assay" || sent["completed_at"] == nil || sent["conclusion"] != "neutral" || sent["details_url"] != nil {
		t.Fatalf("sent %v", sent)
	}
}
