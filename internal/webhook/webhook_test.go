package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/webhook"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var (
	each = storetest.Each
	bg   = context.Background()
)

const (
	appNumber = 4711
	good      = `{"action":"opened","installation":{"id":99}}`
)

// site is the handler behind a listener, with one app.
type site struct {
	t       testing.TB
	store   *store.Store
	keyring *secret.Keyring
	app     store.App
	key     string // the app's webhook secret
	url     string
	handler http.Handler
	woken   chan struct{}
}

func serve(t testing.TB, s *store.Store, change ...func(*webhook.Config)) *site {
	t.Helper()
	ring, err := secret.NewKeyring(secret.New(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))),
		secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset, CreateFunc: s.CreateKeyset, KeptFunc: s.AfterCommit})
	testkit.OK(t, err)
	v := &site{t: t, store: s, keyring: ring, key: "the secret of " + t.Name(), woken: make(chan struct{}, 1000)}
	t.Cleanup(s.OnJobs(func() { v.woken <- struct{}{} }))
	v.app = store.App{ID: domain.NewID("app"), Kind: "github", APIURL: "https://api.example.test", ExternalID: domain.NumberID(appNumber), PrivateKey: []byte("x")}
	v.app.WebhookSecret = v.seal(v.app.ID, "webhook_secret", v.key)
	v.app, err = s.CreateApp(bg, v.app)
	testkit.OK(t, err)
	c := webhook.Config{Store: s, Apps: webhook.NewApps(s, ring), Logger: slog.New(slog.DiscardHandler), Budget: 10 * time.Second}
	for _, f := range change {
		f(&c)
	}
	v.handler = webhook.NewGitHub(c)
	server := httptest.NewServer(v.handler)
	t.Cleanup(server.Close)
	v.url = server.URL
	return v
}

func (v *site) seal(app, column, text string) []byte {
	v.t.Helper()
	sealed, err := v.keyring.SealSecret(bg, secret.Scope{Table: "apps", Row: app, Column: column}, secret.New(text))
	testkit.OK(v.t, err)
	return sealed
}

func sign(key, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// header returns the headers that GitHub sends with a body, signed with a key.
func header(key, guid, body string) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-GitHub-Event", "pull_request")
	h.Set("X-GitHub-Delivery", guid)
	h.Set("X-GitHub-Hook-ID", "1")
	h.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	h.Set("X-GitHub-Hook-Installation-Target-ID", strconv.Itoa(appNumber))
	h.Set("X-Hub-Signature-256", sign(key, body))
	return h
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (v *site) post(h http.Header, body io.Reader) answer {
	req, err := http.NewRequest(http.MethodPost, v.url, body)
	if err != nil {
		v.t.Error(err)
		return answer{}
	}
	req.Header = h
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Error(err)
		return answer{}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Error(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

func (v *site) send(key, guid, body string) answer {
	return v.post(header(key, guid, body), strings.NewReader(body))
}

// stored returns the deliveries with an id.
func (v *site) stored(guid string) []store.Delivery {
	v.t.Helper()
	got, err := v.store.DeliveriesByGUID(bg, guid)
	testkit.OK(v.t, err)
	return got
}

func TestAGoodDeliveryIsStoredOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		a := v.send(v.key, "guid-1", good)
		testkit.Equal(t, "status", a.status, http.StatusAccepted)
		testkit.Equal(t, "body", a.body, "{\"accepted\":true,\"duplicate\":false}\n")
		testkit.Require(t, "woken", len(v.woken), 1)
		got := v.stored("guid-1")
		testkit.Require(t, "rows", len(got), 1)
		d := got[0]
		sum := sha256.Sum256([]byte(good))
		if d.Source != v.app.ID || d.Event != "pull_request" || d.Action != "opened" || string(d.Payload) != good || d.SHA256 != hex.EncodeToString(sum[:]) || d.Disposition != "" {
			t.Fatalf("stored: %+v", d)
		}
		jobs, err := s.JobsOf(bg, d.ID)
		testkit.OK(t, err)
		testkit.Require(t, "jobs", len(jobs), 1)
		testkit.Equal(t, "fair key", jobs[0].FairKey, v.app.ID+":99")

		a = v.send(v.key, "guid-1", good)
		testkit.Equal(t, "status of a duplicate", a.status, http.StatusAccepted)
		testkit.Equal(t, "body of a duplicate", a.body, "{\"accepted\":true,\"duplicate\":true}\n")
		testkit.Require(t, "woken", len(v.woken), 1)
		testkit.Require(t, "rows", len(v.stored("guid-1")), 1)
	})
}

// A delivery that is ignored because of its event or action ends when it is stored: with the reason, a
// metric and no job. A body that is not an object is refused.
func TestIgnoredDeliveriesHaveNoJob(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		seen := &told{}
		v := serve(t, s, func(c *webhook.Config) {
			c.Observer = seen
			c.Ignore = func(w codehost.DeliveryWords) string {
				if w.Action == "edited" && !w.Edited("title") {
					return "only " + w.Event
				}
				return ""
			}
		})
		for guid, body := range map[string]string{
			"ignored": `{"changes":{"body":{"from":"a"}},"action":"edited"}`,
			"title":   `{"action":"edited","changes":{"body":{},"title":{}}}`,
			"unsaid":  `{"action":"edited","changes":{}}`,
			"opened":  `{"action":"opened"}`,
		} {
			testkit.Equal(t, guid, v.send(v.key, guid, body).status, 202)
			testkit.Equal(t, guid+" again", v.send(v.key, guid, body).status, 202)
			got := v.stored(guid)
			testkit.Require(t, guid+" deliveries", len(got), 1)
			jobs, err := s.JobsOf(bg, got[0].ID)
			testkit.OK(t, err)
			if guid == "ignored" {
				testkit.Equal(t, guid+" reason", string(got[0].Disposition)+": "+got[0].Reason, "ignored: only pull_request")
				testkit.Equal(t, guid+" jobs", len(jobs), 0)
				continue
			}
			testkit.Equal(t, guid+" disposition", got[0].Disposition, "")
			testkit.Equal(t, guid+" jobs", len(jobs), 1)
		}
		testkit.Equal(t, "metrics", strings.Join(seen.processed, " "), "pull_request:ignored")
		for _, body := range []string{`[]`, `null`, `{"action":"edited"`, `{"action":1}`, `{"installation":[]}`} {
			testkit.Equal(t, body, v.send(v.key, "bad", body).status, 400)
		}
	})
}

// told records the deliveries that have ended.
type told struct{ processed []string }

func (*told) WebhookAnswered(string, string, time.Duration) {}

func (o *told) DeliveryProcessed(event, disposition string) {
	o.processed = append(o.processed, event+":"+disposition)
}

func TestFiftyAtOnceAreOne(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		answers := make(chan answer, 50)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { answers <- v.send(v.key, "guid", good) })
		}
		all.Wait()
		close(answers)
		fresh := 0
		for a := range answers {
			testkit.Equal(t, "status", a.status, http.StatusAccepted)
			if strings.Contains(a.body, `"duplicate":false`) {
				fresh++
			}
		}
		testkit.Equal(t, "new ones", fresh, 1)
		got := v.stored("guid")
		testkit.Require(t, "rows", len(got), 1)
		jobs, err := s.JobsOf(bg, got[0].ID)
		testkit.OK(t, err)
		testkit.Require(t, "jobs", len(jobs), 1)
	})
}

func TestRefusedDeliveriesStoreNothing(t *testing.T) {
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	drop := func(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }
	sha := func(h http.Header) {
		mac := hmac.New(sha1.New, []byte("the secret of "))
		mac.Write([]byte(good))
		h.Del("X-Hub-Signature-256")
		h.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(mac.Sum(nil)))
	}
	cases := []struct {
		name   string
		body   string // "" for the valid one
		change func(http.Header)
		status int
		code   string
	}{
		{"signature of another secret", "", set("X-Hub-Signature-256", sign("another", good)), 401, "bad_signature"},
		{"signature of another body", "", set("X-Hub-Signature-256", sign("x", "{}")), 401, "bad_signature"},
		{"no signature", "", drop("X-Hub-Signature-256"), 401, "bad_signature"},
		{"empty signature", "", set("X-Hub-Signature-256", ""), 401, "bad_signature"},
		{"SHA-1 only", "", sha, 401, "bad_signature"},
		{"signature without its prefix", "", set("X-Hub-Signature-256", strings.Repeat("a", 64)), 401, "bad_signature"},
		{"unknown app", "", set("X-GitHub-Hook-Installation-Target-ID", "12345"), 404, "not_found"},
		{"not for an app", "", set("X-GitHub-Hook-Installation-Target-Type", "repository"), 404, "not_found"},
		{"no app named", "", drop("X-GitHub-Hook-Installation-Target-ID"), 404, "not_found"},
		{"app id that is not a number", "", set("X-GitHub-Hook-Installation-Target-ID", "x"), 400, "bad_header"},
		{"no event", "", drop("X-GitHub-Event"), 400, "bad_header"},
		{"event with a line break", "", set("X-GitHub-Event", "Pull Request"), 400, "bad_header"},
		{"no delivery id", "", drop("X-GitHub-Delivery"), 400, "bad_header"},
		{"delivery id too long", "", set("X-GitHub-Delivery", strings.Repeat("a", 65)), 400, "bad_header"},
		{"form encoded", "payload=%7B%7D", nil, 400, "not_json"},
		{"empty", " ", nil, 400, "not_json"},
		{"an array", "[]", nil, 400, "not_json"},
		{"null", "null", nil, 400, "not_json"},
		{"cut", `{"action":"ope`, nil, 400, "not_json"},
		{"two objects", `{}{}`, nil, 400, "not_json"},
	}
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		for _, c := range cases {
			body := c.body
			if body == "" {
				body = good
			}
			h := header(v.key, "guid", body)
			if c.change != nil {
				c.change(h)
			}
			a := v.post(h, strings.NewReader(body))
			if a.status != c.status || !strings.Contains(a.body, `"code":"`+c.code+`"`) {
				t.Errorf("%s: %d %s, want %d %s", c.name, a.status, a.body, c.status, c.code)
			}
			if strings.Contains(a.body, v.key) || strings.Contains(a.body, "12345") || strings.Contains(a.body, "sha256=") {
				t.Errorf("%s: the answer repeats what was submitted, or a secret: %s", c.name, a.body)
			}
		}
		testkit.Require(t, "rows", len(v.stored("guid")), 0)
		testkit.Require(t, "woken", len(v.woken), 0)
	})
}

func TestAnUnknownAppIsNoOracle(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		h := header(v.key, "guid", good)
		h.Set("X-GitHub-Hook-Installation-Target-ID", "12345")
		one := v.post(h, strings.NewReader(good))
		h.Set("X-GitHub-Hook-Installation-Target-ID", "67890")
		h.Set("X-Hub-Signature-256", sign("another", good))
		two := v.post(h, strings.NewReader(good))
		testkit.Equal(t, "status", one.status, 404)
		testkit.Equal(t, "answers", one.body, two.body)
	})
}

func TestRotationOfTheSecret(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		next := v.app
		next.NextWebhookSecret = v.seal(v.app.ID, "next_webhook_secret", "the next secret")
		next, err := s.UpdateApp(bg, next, store.AppSecrets{NextWebhook: true})
		testkit.OK(t, err)
		v = &site{t: t, store: s, keyring: v.keyring, app: next, key: v.key, woken: v.woken}
		server := httptest.NewServer(webhook.NewGitHub(webhook.Config{Store: s, Apps: webhook.NewApps(s, v.keyring), Logger: slog.New(slog.DiscardHandler), Budget: 10 * time.Second}))
		defer server.Close()
		v.url = server.URL
		for i, key := range []string{v.key, "the next secret"} {
			testkit.Equal(t, "status", v.send(key, fmt.Sprint("guid-", i), good).status, http.StatusAccepted)
		}
		testkit.Equal(t, "a third", v.send("an older one", "guid-3", good).status, http.StatusUnauthorized)
	})
}

func TestTwoHostsMayNumberTheirAppsAlike(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		other := store.App{ID: domain.NewID("app"), Kind: "github", APIURL: "https://ghes.example.test/api/v3", ExternalID: domain.NumberID(appNumber), PrivateKey: []byte("x")}
		other.WebhookSecret = v.seal(other.ID, "webhook_secret", "of the other host")
		_, err := s.CreateApp(bg, other)
		testkit.OK(t, err)
		testkit.Equal(t, "first", v.send(v.key, "guid", good).status, http.StatusAccepted)
		testkit.Equal(t, "second", v.send("of the other host", "guid", good).status, http.StatusAccepted)
		testkit.Require(t, "rows", len(v.stored("guid")), 2) // the same id from two apps is two deliveries
	})
}

func TestASecretThatCannotBeOpenedStopsItsOwnAppOnly(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		broken := store.App{ID: domain.NewID("app"), Kind: "github", APIURL: "https://ghes.example.test/api/v3", ExternalID: "5", PrivateKey: []byte("x"), WebhookSecret: []byte("not sealed")}
		_, err := s.CreateApp(bg, broken)
		testkit.OK(t, err)
		testkit.Equal(t, "healthy app", v.send(v.key, "guid-1", good).status, http.StatusAccepted)
		h := header(v.key, "guid-2", good)
		h.Set("X-GitHub-Hook-Installation-Target-ID", "5")
		a := v.post(h, strings.NewReader(good))
		testkit.Equal(t, "broken app", a.status, http.StatusServiceUnavailable)
		testkit.Equal(t, "retry", a.header.Get("Retry-After"), "5")
	})
}

func TestTooLarge(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s, func(c *webhook.Config) { c.MaxBody = 1000 })
		body := `{"a":"` + strings.Repeat("x", 1000) + `"}`
		testkit.Equal(t, "declared", v.send(v.key, "guid", body).status, http.StatusRequestEntityTooLarge)
		chunked := struct{ io.Reader }{strings.NewReader(body)} // without a length
		testkit.Equal(t, "chunked", v.post(header(v.key, "guid", body), chunked).status, http.StatusRequestEntityTooLarge)
		exact := `{"a":"` + strings.Repeat("x", 1000-8) + `"}`
		testkit.Equal(t, "at the limit", v.send(v.key, "guid", exact).status, http.StatusAccepted)
	})
}

func TestWithoutTheDatabase(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		testkit.Equal(t, "before", v.send(v.key, "guid-1", good).status, http.StatusAccepted)
		testkit.OK(t, s.Close())
		for _, key := range []string{v.key, v.key} {
			a := v.send(key, "guid-2", good)
			testkit.Equal(t, "status", a.status, http.StatusServiceUnavailable)
			testkit.Equal(t, "retry", a.header.Get("Retry-After"), "5")
			if strings.Contains(a.body, "sql") {
				t.Fatalf("the answer shows the inside: %s", a.body)
			}
		}
		h := header(v.key, "guid-3", good)
		h.Set("X-GitHub-Hook-Installation-Target-ID", "12345")
		if a := v.post(h, strings.NewReader(good)); a.status != http.StatusNotFound && a.status != http.StatusServiceUnavailable {
			t.Fatalf("unknown app: %d", a.status) // unknown for a second, then the answer depends on the database
		}
	})
}

// TestOfficialExamples posts every payload of the official webhook examples.
func TestOfficialExamples(t *testing.T) {
	events := testkit.GitHubHooks(t)
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s)
		n := 0
		for _, e := range events {
			for i, body := range e.Examples {
				guid := fmt.Sprintf("%s-%d", strings.ReplaceAll(e.Name, "_", "-"), i)
				h := header(v.key, guid, string(body))
				h.Set("X-GitHub-Event", e.Name)
				if a := v.post(h, bytes.NewReader(body)); a.status != http.StatusAccepted {
					t.Errorf("%s: %d %s", guid, a.status, a.body)
				}
				testkit.Require(t, "rows of "+guid, len(v.stored(guid)), 1)
				n++
			}
		}
		if n < 100 {
			t.Fatalf("only %d examples", n)
		}
	})
}

// The budget is for the database: reading, verifying and parsing a large body does not count. A server
// that is too slow refuses, and the host delivers again.
func TestLargeDeliveriesAreStored(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := serve(t, s, func(c *webhook.Config) { c.Budget = 500 * time.Millisecond })
		body := `{"action":"opened","installation":{"id":1},"text":"` + strings.Repeat("x", 24<<20) + `"}`
		var all sync.WaitGroup
		var stored [3]bool
		deliver := func(i int) bool {
			guid := fmt.Sprint("guid-", i)
			a := v.send(v.key, guid, body)
			if stored[i] = a.status == http.StatusAccepted; !stored[i] && a.status != http.StatusServiceUnavailable {
				t.Errorf("%s: %d %s", guid, a.status, a.body)
			}
			return stored[i]
		}
		for i := range stored {
			all.Go(func() { deliver(i) })
		}
		all.Wait()
		for i := range stored {
			testkit.Eventually(t, time.Minute, func() (bool, string) { return stored[i] || deliver(i), "the server was too slow" })
		}
		for i := range 3 {
			got := v.stored(fmt.Sprint("guid-", i))
			testkit.Require(t, "rows", len(got), 1)
			testkit.Equal(t, "bytes", len(got[0].Payload), len(body))
		}
	})
}
