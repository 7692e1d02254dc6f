package github

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	good := Config{AppID: "1", PrivateKeyPEM: keyPEM(appKey()), HTTP: &http.Client{}, Gate: &codehosttest.Gate{}}
	for name, change := range map[string]func(*Config){
		"no app id":         func(c *Config) { c.AppID = "" },
		"no key":            func(c *Config) { c.PrivateKeyPEM = nil },
		"not a key":         func(c *Config) { c.PrivateKeyPEM = secret.New("hunter" + "2") },
		"no client":         func(c *Config) { c.HTTP = nil },
		"no gate":           func(c *Config) { c.Gate = nil },
		"address is a path": func(c *Config) { c.APIURL = "/api/v3" },
		"address with user": func(c *Config) { c.APIURL = "https://u@example.com/api/v3" },
		"other scheme":      func(c *Config) { c.APIURL = "ftp://example.com" },
		"with query":        func(c *Config) { c.APIURL = "https://example.com/?a=b" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := good
			change(&cfg)
			if _, err := New(cfg); err == nil || strings.Contains(err.Error(), "hunter") {
				t.Fatalf("err = %v", err)
			}
		})
	}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ api, web, wantAPI, wantWeb, wantKey string }{
		"github.com":        {"", "", "https://api.github.com/", "https://github.com", "github|api.github.com|9"},
		"enterprise server": {"https://GHES.example.com/api/v3", "", "https://GHES.example.com/api/v3/", "https://GHES.example.com", "github|ghes.example.com|9"},
		"data residency":    {"https://api.octo.ghe.com/", "", "https://api.octo.ghe.com/", "https://octo.ghe.com", "github|api.octo.ghe.com|9"},
		"given":             {"http://127.0.0.1:4000/", "http://127.0.0.1:4000/", "http://127.0.0.1:4000/", "http://127.0.0.1:4000", "github|127.0.0.1:4000|9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := New(Config{AppID: "1", PrivateKeyPEM: keyPEM(appKey()), HTTP: &http.Client{}, Gate: &codehosttest.Gate{}, APIURL: tc.api, WebURL: tc.web})
			if err != nil {
				t.Fatal(err)
			}
			if h.api.String() != tc.wantAPI || h.web != tc.wantWeb || h.installationKey("9") != tc.wantKey {
				t.Fatalf("api %s, web %s, key %s", h.api, h.web, h.installationKey("9"))
			}
		})
	}
}

func TestAppTokens(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h, _ := newHost(t, f)
	if _, err := h.App(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, ok := strings.CutPrefix(f.seen[0].Header.Get("Authorization"), "Bearer ")
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(raw, &claims, func(tok *jwt.Token) (any, error) {
		if tok.Method != jwt.SigningMethodRS256 {
			return nil, errors.New("not RS256")
		}
		return &appKey().PublicKey, nil
	})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	life := claims.ExpiresAt.Sub(claims.IssuedAt.Time)
	back := time.Since(claims.IssuedAt.Time)
	if claims.Issuer != "4711" || life > 10*time.Minute || back < 30*time.Second || back > 2*time.Minute {
		t.Fatalf("issuer %s, life %v, issued %v back", claims.Issuer, life, back)
	}
}

func TestTokensAreCachedAndNarrow(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var mu sync.Mutex
	var asked []map[string]any
	f.on("POST /app/installations/99/access_tokens", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, body)
		reply(w, 201, map[string]any{"token": longToken(len(asked)), "expires_at": time.Now().Add(time.Hour)})
	})
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{"number": 7}) })
	h, _ := newHost(t, f)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := h.PullRequest(t.Context(), testRepo, 7); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(asked) != 1 {
		t.Fatalf("%d tokens for 20 concurrent calls", len(asked))
	}
	access, err := h.Clone(t.Context(), testRepo)
	if err != nil {
		t.Fatal(err)
	}
	if access.URL != f.URL+"/octo/demo.git" || access.Username != "x-access-token" || access.Token.Reveal() != longToken(2) {
		t.Fatalf("clone access %s %s", access.URL, access.Username)
	}
	want := []string{
		`{"permissions":{"contents":"read","metadata":"read","pull_requests":"read"}}`,
		`{"permissions":{"contents":"read","metadata":"read"},"repository_ids":[5]}`,
	}
	for i := range want {
		if got, _ := json.Marshal(asked[i]); string(got) != want[i] {
			t.Errorf("token %d asked for %s, want %s", i, got, want[i])
		}
	}
}

func TestTokensAreRenewedInTime(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{"number": 7}) })
	var mu sync.Mutex
	clock := time.Now()
	h, _ := newHost(t, f, func(c *Config) { c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return clock } })
	for i, step := range []struct {
		forward time.Duration
		tokens  int
	}{{0, 1}, {54 * time.Minute, 1}, {2 * time.Minute, 2}} {
		mu.Lock()
		clock = clock.Add(step.forward)
		mu.Unlock()
		if _, err := h.PullRequest(t.Context(), testRepo, 7); err != nil {
			t.Fatal(err)
		}
		if f.tokens != step.tokens {
			t.Fatalf("step %d: %d tokens, want %d", i, f.tokens, step.tokens)
		}
	}
}

func TestARefusedTokenIsForgotten(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	refuse := true
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) {
		if refuse {
			reply(w, 401, map[string]any{"message": "Bad credentials"})
			return
		}
		reply(w, 200, map[string]any{"number": 7})
	})
	h, _ := newHost(t, f)
	if _, err := h.PullRequest(t.Context(), testRepo, 7); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Fatalf("err = %v", err)
	}
	if f.count("GET "+pullPath) != 1 {
		t.Fatal("the request was repeated")
	}
	refuse = false
	if _, err := h.PullRequest(t.Context(), testRepo, 7); err != nil || f.tokens != 2 {
		t.Fatalf("err = %v after %d tokens", err, f.tokens)
	}
}

func TestFailuresOfTokenRequests(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		body   any
		want   codehost.Class
	}{
		"uninstalled":            {404, map[string]any{"message": "Not Found"}, codehost.ClassNotFound},
		"suspended":              {403, map[string]any{"message": "This installation has been suspended"}, codehost.ClassForbidden},
		"permission not granted": {422, map[string]any{"message": "The permissions requested are not granted to this installation."}, codehost.ClassForbidden},
		"clock or key wrong":     {401, map[string]any{"message": "A JSON web token could not be decoded"}, codehost.ClassForbidden},
		"limit":                  {403, map[string]any{"message": "secondary rate limit"}, codehost.ClassLimited},
		"down":                   {502, nil, codehost.ClassUnavailable},
		"no token":               {201, map[string]any{}, codehost.ClassUnavailable},
		"null":                   {201, nil, codehost.ClassUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.on("POST /app/installations/99/access_tokens", func(w http.ResponseWriter, _ *http.Request) { reply(w, tc.status, tc.body) })
			h, gate := newHost(t, f)
			_, err := h.CreateDraft(t.Context(), testRepo, 7, draft)
			if codehost.ClassOf(err) != tc.want {
				t.Fatalf("err = %v, want %s", err, tc.want)
			}
			if gateWords(gate, h.installationKey(domain.NumberID(testInst))) != "" {
				t.Fatal("the installation's slot was taken without a token")
			}
		})
	}
	f := newFake(t)
	h, _ := newHost(t, f)
	if _, err := h.PullRequest(t.Context(), codehost.Repo{Owner: "o", Name: "n"}, 7); codehost.ClassOf(err) != codehost.ClassInvalid || f.total() != 0 {
		t.Fatalf("without an installation: %v", err)
	}
}

func TestTheTokenCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := tokenCache{entries: map[tokenKey]*tokenEntry{}}
	for i := range int64(3 * maxTokens) {
		c.entry(tokenKey{installation: domain.NumberID(i + 1)}, time.Now())
	}
	if len(c.entries) > maxTokens {
		t.Fatalf("%d entries", len(c.entries))
	}
}
