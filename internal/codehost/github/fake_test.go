package github

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

const (
	testApp  = 4711
	testInst = 99
	baseSHA  = "1111111111111111111111111111111111111111"
	headSHA  = "2222222222222222222222222222222222222222"
)

var testRepo = codehost.Repo{Access: domain.NumberID(testInst), ExternalID: "5", Owner: "octo", Name: "demo"}

// appKey is one key for all tests, because making one takes a while.
var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

func keyPEM(k *rsa.PrivateKey) secret.Secret {
	return secret.New(string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)})))
}

// longToken returns a token of the form that installation tokens have since 2026: without a fixed length, and
// longer than the earlier 40 characters. It is assembled here so that scanners do not take it for a real one.
func longToken(n int) string {
	return "gh" + "s_" + fmt.Sprint(testApp) + "_" + strings.Repeat("a1B2", 80) + fmt.Sprint(n)
}

// fake is a GitHub whose answers are handlers. It answers requests for tokens and for the app itself unless a
// test replaces those handlers.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	handlers map[string]http.HandlerFunc // "METHOD /path"
	seen     []*http.Request
	tokens   int
	life     time.Duration
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{handlers: map[string]http.HandlerFunc{}, life: time.Hour}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) on(pattern string, h http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handlers[pattern] = h
}

// total returns the number of requests so far.
func (f *fake) total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.seen)
}

func (f *fake) count(pattern string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.seen {
		if r.Method+" "+r.URL.Path == pattern {
			n++
		}
	}
	return n
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.seen = append(f.seen, r)
	h := f.handlers[r.Method+" "+r.URL.Path]
	var n int
	if strings.HasSuffix(r.URL.Path, "/access_tokens") {
		f.tokens++
		n = f.tokens
	}
	f.mu.Unlock()
	switch {
	case h != nil:
		h(w, r)
	case n > 0:
		reply(w, http.StatusCreated, map[string]any{"token": longToken(n), "expires_at": time.Now().Add(f.life).UTC()})
	case r.URL.Path == "/app":
		reply(w, http.StatusOK, map[string]any{"id": testApp, "slug": "assay-test", "name": "Assay"})
	default:
		reply(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
	}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func newHost(t *testing.T, f *fake, change ...func(*Config)) (*Host, *codehosttest.Gate) {
	t.Helper()
	gate := &codehosttest.Gate{}
	tr := &http.Transport{Proxy: nil}
	t.Cleanup(tr.CloseIdleConnections)
	cfg := Config{AppID: domain.NumberID(testApp), PrivateKeyPEM: keyPEM(appKey()), APIURL: f.URL, HTTP: &http.Client{Transport: tr}, Gate: gate}
	for _, c := range change {
		c(&cfg)
	}
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h, gate
}
