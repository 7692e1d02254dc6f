package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		ready := func(status int, word string, down ...string) {
			t.Helper()
			got := w.call(anonymous, "GET", "/readyz", "")
			if got.status != status || !strings.Contains(got.body, `"status":"`+word+`"`) || strings.Count(got.body, `"ok":false`) != len(down) || strings.Contains(got.body, "10.1.2.3") {
				t.Fatalf("readyz: %d %s", got.status, got.body)
			}
			for _, name := range down {
				if !strings.Contains(got.body, `{"name":"`+name+`","ok":false`) {
					t.Errorf("readyz does not name %s: %s", name, got.body)
				}
			}
			if (status == http.StatusServiceUnavailable) != (got.header.Get("Retry-After") != "") {
				t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
			}
		}
		ready(200, "ready")
		w.kv.down = true
		ready(200, "degraded", "keyValueStore")
		if got := w.call(anonymous, "GET", "/version", ""); got.body != `{"version":"1.2.3","commit":"abc","apiVersion":"`+httpapi.APIVersion+`","edition":"self-hosted"}`+"\n" {
			t.Errorf("version: %s", got.body)
		}
		must(t, s.Close())
		ready(503, "down", "database", "keyValueStore") // the schema was read a moment ago
		if got := w.call(anonymous, "GET", "/healthz", ""); got.status != 200 || got.body != `{"status":"ok"}`+"\n" {
			t.Errorf("healthz: %d %s", got.status, got.body)
		}
		if got := w.call(admin, "GET", "/api/me", ""); got.status < 500 || strings.Contains(got.body, "sql") {
			t.Errorf("me without a database: %d %s", got.status, got.body)
		}
	})
}

func TestReadyNeedsMigrations(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		h, err := httpapi.New(httpapi.Options{Store: storetest.Open(t, url), Features: httpapi.Features{Instance: instance.New(instance.Config{})}, Webhook: http.NotFoundHandler(), BaseURL: "http://localhost:1"})
		must(t, err)
		got := record(h, "GET", "/readyz")
		if got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "assay migrate") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

func TestWebhookIsMountedRaw(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	got := w.call(anonymous, "POST", "/webhooks/codehost", strings.Repeat("x", 3<<20), header("Origin", "https://elsewhere.example"), header("Content-Type", "text/plain"))
	if got.status != http.StatusAccepted || got.header.Get("X-Read") != "3145728" {
		t.Errorf("%d, read %s", got.status, got.header.Get("X-Read"))
	}
}

// link creates a one-time link of a person.
func (w *world) link(who string, life time.Duration) string {
	w.t.Helper()
	return w.linkFrom(who, store.LinkSetup, "", life)
}

// linkFrom creates a link for a purpose. It works only in the given networks.
func (w *world) linkFrom(who, purpose, networks string, life time.Duration) string {
	w.t.Helper()
	token := secret.NewToken(secret.Link).Reveal()
	must(w.t, w.store.CreateSignInLink(bg, store.NewSignInLink{TokenHash: secret.Hash(token), User: w.people[who].id, Purpose: purpose, Networks: networks, Life: life}))
	return token
}

func form(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }

func TestOneTimeLink(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		token := w.link(admin, time.Minute)
		body := "token=" + url.QueryEscape(token)
		for range 3 { // link scanners open it several times
			got := w.call(anonymous, "GET", "/auth/break-glass?token="+token, "")
			if got.status != 200 || !strings.Contains(got.body, "as <strong><bdi>admin</bdi></strong>") || got.header.Get("Set-Cookie") != "" {
				t.Fatalf("the page: %d %s", got.status, got.body)
			}
		}
		if got := w.call(anonymous, "HEAD", "/auth/break-glass?token="+token, ""); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET, POST" {
			t.Errorf("HEAD: %d", got.status)
		}
		for name, o := range map[string]string{"foreign": "https://evil.example", "null": "null"} {
			if got := w.call(anonymous, "POST", "/auth/break-glass", body, form, header("Origin", o)); got.status != http.StatusForbidden {
				t.Errorf("%s Origin: %d", name, got.status)
			}
		}
		got := w.call(member, "POST", "/auth/break-glass", body, form)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != "/" {
			t.Fatalf("redeem: %d %s", got.status, got.body)
		}
		cookie, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
		must(t, err)
		if cookie.Name != "assay_session" || !cookie.HttpOnly || cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 7*24*3600 {
			t.Errorf("cookie on loopback: %s", cookie)
		}
		if now := w.call(anonymous, "GET", "/api/me", "", func(r *http.Request) { r.AddCookie(cookie) }); now.status != 200 || !strings.Contains(now.body, `"name":"admin"`) {
			t.Errorf("the new session: %d %s", now.status, now.body)
		}
		if old := w.call(member, "GET", "/api/me", ""); old.status != http.StatusUnauthorized {
			t.Errorf("the session that the browser had before: %d", old.status)
		}
		over := w.call(anonymous, "POST", "/auth/break-glass", body, form)
		if over.status != http.StatusNotFound || over.header.Get("Set-Cookie") != "" {
			t.Errorf("a second use: %d", over.status)
		}
		for name, token := range map[string]string{"used": token, "expired": w.link(admin, -time.Second), "never made": secret.NewToken(secret.Link).Reveal(),
			"another kind": secret.NewToken(secret.Session).Reveal(), "none": "", "junk": "%00<b>"} {
			page := w.call(anonymous, "GET", "/auth/break-glass?token="+url.QueryEscape(token), "")
			post := w.call(anonymous, "POST", "/auth/break-glass", "token="+url.QueryEscape(token), form)
			if page.status != http.StatusNotFound || post.status != http.StatusNotFound || page.body != over.body || post.body != over.body {
				t.Errorf("%s: %d, %d", name, page.status, post.status)
			}
		}
		if log := w.logs.String(); strings.Contains(log, token) || strings.Contains(log, cookie.Value) || !strings.Contains(log, "a one-time sign-in link was used") {
			t.Error("the log has a token, or does not report the sign-in")
		}
	})
}

// The printed link has its token in the fragment, which the server never sees. The page sends the token in a
// form that only shows the person.
func TestOneTimeLinkKeepsItsTokenOutOfTheAddress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, func(o *httpapi.Options) { o.Limits.Guess = once(2) })
		token := w.link(admin, time.Minute)
		for range 3 { // opening the page does not count as a guess
			page := w.call(anonymous, "GET", "/auth/break-glass", "")
			if page.status != http.StatusOK || !strings.Contains(page.body, `name="show"`) || !strings.Contains(page.header.Get("Content-Security-Policy"), "script-src 'self';") {
				t.Fatalf("%d %q %s", page.status, page.header.Get("Content-Security-Policy"), page.body)
			}
		}
		shown := w.call(anonymous, "POST", "/auth/break-glass", "show=1&token="+token, form)
		if shown.status != http.StatusOK || !strings.Contains(shown.body, "as <strong><bdi>admin</bdi></strong>") || shown.header.Get("Set-Cookie") != "" || strings.Contains(shown.header.Get("Content-Security-Policy"), "script") {
			t.Fatalf("shown: %d %v %s", shown.status, shown.header, shown.body)
		}
		testkit.Equal(t, "used after it was shown", w.call(anonymous, "POST", "/auth/break-glass", "token="+token, form).status, http.StatusSeeOther)
		testkit.Equal(t, "shown too often", w.call(anonymous, "POST", "/auth/break-glass", "show=1&token="+token, form).status, http.StatusTooManyRequests)
	})
}

func TestCookieOnHTTPS(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.BaseURL = "https://assay.example.com" })
	got := w.call(anonymous, "POST", "/auth/break-glass", "token="+w.link(admin, time.Minute), form, header("Origin", "https://assay.example.com"))
	set := got.header.Get("Set-Cookie")
	for _, part := range []string{"__Host-assay_session=assay_sess_", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(set, part) {
			t.Errorf("the cookie lacks %s: %s", part, set)
		}
	}
	if strings.Contains(set, "Domain") || got.header.Get("Strict-Transport-Security") == "" {
		t.Errorf("cookie %q, headers %v", set, got.header)
	}
	if got := w.call(admin, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
		t.Errorf("the cookie without the prefix: %d", got.status)
	}
}

func TestLogout(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		if got := w.call(admin, "POST", "/auth/logout", "", header("X-CSRF-Token", "")); got.status != http.StatusForbidden {
			t.Errorf("without token: %d", got.status)
		}
		got := w.call(admin, "POST", "/auth/logout", "")
		if got.status != http.StatusNoContent || !strings.Contains(got.header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("%d %s", got.status, got.header.Get("Set-Cookie"))
		}
		if got := w.call(admin, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
			t.Errorf("afterwards: %d", got.status)
		}
		if got := w.call(member, "POST", "/sign-out", "csrf=wrong", form); got.status != http.StatusForbidden {
			t.Errorf("the form with a wrong token: %d", got.status)
		}
		if got := w.call(member, "POST", "/sign-out", "csrf="+w.people[member].csrf, form, header("Origin", "https://evil.example")); got.status != http.StatusForbidden {
			t.Errorf("the form from elsewhere: %d", got.status)
		}
		if got := w.call(member, "POST", "/sign-out", "csrf="+w.people[member].csrf, form); got.status != http.StatusSeeOther || got.header.Get("Location") != "/" {
			t.Errorf("the form: %d", got.status)
		}
		if got := w.call(member, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
			t.Errorf("after the form: %d", got.status)
		}
	})
}

func TestIdleSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.Idle = time.Nanosecond })
	if got := w.call(admin, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
		t.Errorf("%d", got.status)
	}
}

func TestDeadLetters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		dead := func(subject string) string {
			_, err := s.Enqueue(bg, store.NewJob{Kind: domain.KindReview, FairKey: w.Tenant.ID, Subject: subject, Tenant: w.Tenant.ID})
			must(t, err)
			jobs, err := s.JobsOf(bg, subject)
			must(t, err)
			j := jobs[0]
			c, err := s.Claim(bg, j.ID, "worker", time.Minute)
			must(t, err)
			_, err = s.KillJob(bg, j.ID, c.Gen, "no use")
			must(t, err)
			return j.ID
		}
		one, two := dead("run_1"), dead("run_2")
		const path = "/api/instance/dead-letters"
		var l httpapi.List[httpapi.DeadLetter]
		w.into(&l, w.call(instanceAdmin, "GET", path, ""))
		if len(l.Items) != 2 || l.Items[0].ID != two || l.Items[0].LastError != "no use" || l.Items[0].Subject != "run_2" {
			t.Errorf("%+v", l)
		}
		for query, want := range map[string]int{"": 2, "kind=review.run": 2, "kind=review.publish": 0, "lane=review": 2, "lane=publish": 0, "tenantId=" + w.Tenant.ID: 2, "tenantId=ten_x": 0, "since=2020-01-01T00:00:00Z": 2, "since=2200-01-01T00:00:00Z": 0} {
			w.into(&l, w.call(instanceAdmin, "GET", path+"?"+query, ""))
			testkit.Equal(t, "how many by "+query, len(l.Items), want)
		}
		w.into(&l, w.call(instanceAdmin, "GET", path+"?limit=1", ""))
		testkit.Equal(t, "the first page", l.Items[0].ID, two)
		var last httpapi.List[httpapi.DeadLetter]
		w.into(&last, w.call(instanceAdmin, "GET", path+"?limit=1&cursor="+l.NextCursor, ""))
		testkit.Equal(t, "the last page", last.Items[0].ID+last.NextCursor, one)
		for _, who := range []string{admin, member, anonymous} {
			if got := w.call(who, "POST", path+"/"+one+"/redrive", ""); got.status != http.StatusForbidden && got.status != http.StatusUnauthorized {
				t.Errorf("%s: %d", who, got.status)
			}
		}
		for i, want := range []int{http.StatusNoContent, http.StatusNotFound} {
			if got := w.call(instanceAdmin, "POST", path+"/"+one+"/redrive", ""); got.status != want {
				t.Errorf("redrive %d: %d %s", i, got.status, got.body)
			}
			if got := w.call(instanceAdmin, "POST", path+"/"+two+"/discard", `{"reason":"old"}`); got.status != want {
				t.Errorf("discard %d: %d %s", i, got.status, got.body)
			}
		}
		j, err := s.Job(bg, two)
		must(t, err)
		if j.State != domain.JobDiscarded || j.LastError != "old" {
			t.Errorf("%+v", j)
		}
	})
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		_, err := s.Ingest(bg, store.NewDelivery{Source: w.App.ID, GUID: "guid-1", Event: "pull_request", Action: "opened", SHA256: "x", Payload: []byte("{}"), FairKey: "f"})
		must(t, err)
		find := func() httpapi.Delivery {
			t.Helper()
			var l httpapi.List[httpapi.Delivery]
			w.into(&l, w.call(instanceAdmin, "GET", "/api/instance/deliveries?guid=guid-1", ""))
			if len(l.Items) != 1 {
				t.Fatalf("%+v", l)
			}
			return l.Items[0]
		}
		d := find()
		if d.State != "received" || len(d.Jobs) != 1 || d.Jobs[0].DispatchedAt != nil || d.ReceivedAt.IsZero() || d.ProcessedAt != nil {
			t.Errorf("received: %+v", d)
		}
		must(t, s.MarkDispatched(bg, []store.Due{{ID: d.Jobs[0].ID}}))
		if d = find(); d.State != "queued" || d.Jobs[0].DispatchedAt == nil {
			t.Errorf("queued: %+v", d)
		}
		must(t, s.Dispose(bg, d.ID, w.Tenant.ID, domain.DispositionRun, "", w.Run.ID))
		if d = find(); d.State != "run" || d.RunID != w.Run.ID || d.RunState != "queued" || d.TenantID != w.Tenant.ID || d.ProcessedAt == nil {
			t.Errorf("run: %+v", d)
		}
		if d.Host != "github" || d.RunRepo != w.Repository.ID {
			t.Errorf("source and result: %+v", d)
		}
		if got := w.call(instanceAdmin, "GET", "/api/instance/deliveries?guid=never", ""); got.body != `{"items":[]}`+"\n" {
			t.Errorf("unknown id: %s", got.body)
		}
		if got := w.call(admin, "GET", "/api/instance/deliveries?guid=guid-1", ""); got.status != http.StatusForbidden {
			t.Errorf("a tenant's admin: %d", got.status)
		}
	})
}

// The list of deliveries has filters for operators, and its pages continue each other.
func TestDeliveriesOfTheInstance(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for i, source := range []string{w.App.ID, "pcn_gone", w.App.ID} {
			_, err := s.Ingest(bg, store.NewDelivery{Source: source, GUID: fmt.Sprint("guid-", i), Event: "pull_request", SHA256: "x", Payload: []byte("{}"), FairKey: "f"})
			must(t, err)
		}
		list := func(query string) (out httpapi.List[httpapi.Delivery]) {
			t.Helper()
			w.into(&out, w.call(instanceAdmin, "GET", "/api/instance/deliveries?"+query, ""))
			return out
		}
		guids := func(of httpapi.List[httpapi.Delivery]) string {
			out := []string{}
			for _, d := range of.Items {
				out = append(out, strings.TrimPrefix(d.GUID, "guid-"))
			}
			return strings.Join(out, " ")
		}
		all := list("")
		testkit.Require(t, "all, newest first", guids(all), "2 1 0")
		testkit.Equal(t, "the host of a deleted connection", all.Items[1].Host, "")
		must(t, s.Dispose(bg, all.Items[0].ID, w.Tenant.ID, domain.DispositionFailed, "no use", ""))
		past, coming := url.QueryEscape(time.Now().Add(-time.Hour).Format(time.RFC3339)), url.QueryEscape(time.Now().Add(time.Hour).Format(time.RFC3339))
		for query, want := range map[string]string{
			"state=failed": "2", "state=undecided": "1 0", "state=run": "", "host=github": "2 0", "host=gitlab": "", "sourceId=pcn_gone": "1", "tenantId=" + w.Tenant.ID: "2", "tenantId=ten_x": "",
			"since=" + past: "2 1 0", "since=" + coming: "", "guid=guid-1": "1", "guid=guid-1&state=failed": "",
		} {
			testkit.Equal(t, query, guids(list(query)), want)
		}
		first := list("limit=2")
		testkit.Equal(t, "the first page", guids(first), "2 1")
		last := list("limit=2&cursor=" + first.NextCursor)
		testkit.Equal(t, "the last page", guids(last)+last.NextCursor, "0")
		for _, query := range []string{"cursor=%21", "cursor=" + base64.RawURLEncoding.EncodeToString([]byte("a b")), "state=gone", "host=sourceforge", "since=yesterday", "guid=" + strings.Repeat("x", 201)} {
			testkit.Equal(t, query, w.call(instanceAdmin, "GET", "/api/instance/deliveries?"+query, "").status, http.StatusUnprocessableEntity)
		}
	})
}
