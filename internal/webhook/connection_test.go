package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
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

// wire is a host's format: the signature is the bare HMAC of the body, as in Gitea
// (services/webhook/deliver.go).
func wire() webhook.Wire {
	return webhook.Wire{
		Read: func(h http.Header) (webhook.Headers, error) {
			if h.Get("X-Event") == "" {
				return webhook.Headers{}, errors.New("X-Event is missing")
			}
			return webhook.Headers{Event: h.Get("X-Event"), Delivery: h.Get("X-Delivery"), Proof: len(h.Get("X-Signature")) == 64}, nil
		},
		Verify: func(h http.Header, body []byte, secrets []secret.Secret) error {
			for _, s := range secrets {
				if h.Get("X-Signature") == bare(s.Reveal(), string(body)) {
					return nil
				}
			}
			return errors.New("no secret fits")
		},
	}
}

func bare(key, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// gateway has the handlers of two kinds behind a listener, with a connection of a tenant.
type gateway struct {
	t       *testing.T
	store   *store.Store
	ring    *secret.Keyring
	world   storetest.World
	row     store.ProviderConnection
	mux     *http.ServeMux
	woken   chan struct{}
	maxBody int64

	connections *webhook.Connections
	keepOpen    bool // rotate leaves the cached connections
}

func newGateway(t *testing.T, s *store.Store) *gateway {
	t.Helper()
	ring, err := secret.NewKeyring(secret.New(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))),
		secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset, CreateFunc: s.CreateKeyset, KeptFunc: s.AfterCommit})
	testkit.OK(t, err)
	g := &gateway{t: t, store: s, ring: ring, world: storetest.Seed(t, s), woken: make(chan struct{}, 100), maxBody: 1 << 20}
	t.Cleanup(s.OnJobs(func() { g.woken <- struct{}{} }))
	g.row, err = s.CreateProviderConnection(bg, g.world.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: "forgejo", Name: "one", Token: []byte("sealed"), Repositories: "[]", Enabled: true})
	testkit.OK(t, err)
	g.open()
	return g
}

// open creates the handlers again, so that they have no cached connections.
func (g *gateway) open() {
	found := webhook.NewConnections(g.store, g.ring)
	g.connections = found
	g.mux = http.NewServeMux()
	for path, kind := range map[string]domain.ConnectionKind{"host-e": domain.Gitea, "host-f": domain.Forgejo} {
		g.mux.Handle("POST /webhooks/"+path+"/{connectionId}", webhook.NewConnection(webhook.ConnectionConfig{Store: g.store, Connections: found, Kind: kind, Wire: wire(), MaxBody: g.maxBody,
			Budget: 10 * time.Second, Logger: slog.New(slog.DiscardHandler)}))
	}
}

// rotate gives the connection a new secret.
func (g *gateway) rotate() string {
	g.t.Helper()
	id, key := domain.NewID("whs"), secret.NewToken(secret.Webhook)
	sealed, err := g.ring.SealSecret(bg, secret.Scope{Tenant: g.world.Tenant.ID, Table: "webhook_secrets", Row: id, Column: "sealed"}, key)
	testkit.OK(g.t, err)
	testkit.OK(g.t, g.store.InTx(bg, func(ctx context.Context) error {
		_, _, err := g.store.RotateProviderSecret(ctx, g.world.Tenant, g.row.ID, id, sealed, time.Hour)
		return err
	}))
	if !g.keepOpen {
		g.open()
	}
	return key.Reveal()
}

func (g *gateway) send(path, id, guid, signature string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/"+path+"/"+id, body)
	r.Header.Set("X-Event", "pull_request")
	r.Header.Set("X-Delivery", guid)
	r.Header.Set("X-Signature", signature)
	w := httptest.NewRecorder()
	g.mux.ServeHTTP(w, r)
	return w
}

const opened = `{"action":"opened","repository":{"id":5}}`

func TestDeliveryToAConnection(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g := newGateway(t, s)
		key := g.rotate()
		first := g.send("host-f", g.row.ID, "guid-1", bare(key, opened), strings.NewReader(opened))
		if first.Code != http.StatusAccepted || first.Body.String() != "{\"accepted\":true,\"duplicate\":false}\n" || len(g.woken) != 1 {
			t.Fatalf("%d %s, woken %d times", first.Code, first.Body, len(g.woken))
		}
		rows, err := s.DeliveriesByGUID(bg, "guid-1")
		testkit.OK(t, err)
		sum := sha256.Sum256([]byte(opened))
		if len(rows) != 1 || rows[0].Source != g.row.ID || rows[0].Tenant != g.world.Tenant.ID || rows[0].Event != "pull_request" || rows[0].Action != "opened" ||
			string(rows[0].Payload) != opened || rows[0].SHA256 != hex.EncodeToString(sum[:]) {
			t.Fatalf("stored: %+v", rows)
		}
		jobs, err := s.JobsOf(bg, rows[0].ID)
		testkit.OK(t, err)
		if len(jobs) != 1 || jobs[0].FairKey != g.row.Tenant {
			t.Fatalf("jobs: %+v", jobs)
		}
		again := g.send("host-f", g.row.ID, "guid-1", bare(key, opened), strings.NewReader(opened))
		if again.Code != http.StatusAccepted || !strings.Contains(again.Body.String(), `"duplicate":true`) || len(g.woken) != 1 {
			t.Errorf("again: %d %s", again.Code, again.Body)
		}
		replay := g.send("host-f", g.row.ID, "guid-2", bare(key, opened), strings.NewReader(opened)) // the intake recognises the body
		testkit.Equal(t, "the body under another id", replay.Code, http.StatusAccepted)
		// A delivery of a sender without ids is recognised by its body.
		for i, body := range []string{opened, opened, opened + " "} {
			got := g.send("host-f", g.row.ID, "", bare(key, body), strings.NewReader(body))
			testkit.Equal(t, fmt.Sprint("known, without an id, ", i), strings.Contains(got.Body.String(), `"duplicate":true`), i == 1)
		}
	})
}

func TestDeliveriesThatAConnectionRefuses(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g := newGateway(t, s)
		key := g.rotate()
		off, err := s.CreateProviderConnection(bg, g.world.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: "forgejo", Name: "off", Token: []byte("sealed"), Repositories: "[]"})
		testkit.OK(t, err)
		wrong := g.send("host-f", g.row.ID, "guid", bare("another", opened), strings.NewReader(opened))
		long := strings.Repeat("x", int(g.maxBody)+1)
		for name, tc := range map[string]struct {
			path, id, signature, body string
			want                      int
		}{
			"another secret":                   {"host-f", g.row.ID, bare("another", opened), opened, 401},
			"no signature":                     {"host-f", g.row.ID, "", opened, 401},
			"no signature, unknown connection": {"host-f", "pcn_never", "", opened, 401},
			"a short one":                      {"host-f", g.row.ID, "ab", opened, 401},
			"another body":                     {"host-f", g.row.ID, bare(key, opened), `{"action":"closed"}`, 401},
			"the path of another kind":         {"host-e", g.row.ID, bare(key, opened), opened, 401},
			"a connection that is off":         {"host-f", off.ID, bare(key, opened), opened, 401},
			"no connection":                    {"host-f", "pcn_never", bare(key, opened), opened, 401},
			"too large":                        {"host-f", g.row.ID, bare(key, long), long, 413},
			"not JSON":                         {"host-f", g.row.ID, bare(key, "a=b"), "a=b", 400},
			"no object":                        {"host-f", g.row.ID, bare(key, "null"), "null", 400},
			"too large, declared short":        {"host-f", "pcn_never", bare(key, long), long, 413},
		} {
			t.Run(name, func(t *testing.T) {
				got := g.send(tc.path, tc.id, "guid", tc.signature, strings.NewReader(tc.body))
				testkit.Equal(t, "status of "+got.Body.String(), got.Code, tc.want)
				if tc.want == 401 && len(tc.signature) == 64 && got.Body.String() != wrong.Body.String() {
					t.Errorf("it is told from a wrong signature: %s", got.Body)
				}
				rows, err := s.DeliveriesByGUID(bg, "guid")
				testkit.OK(t, err)
				testkit.Equal(t, "rows", len(rows), 0)
			})
		}
		r := httptest.NewRequest(http.MethodPost, "/webhooks/host-f/"+g.row.ID, strings.NewReader(opened))
		w := httptest.NewRecorder()
		g.mux.ServeHTTP(w, r)
		testkit.Equal(t, "without headers", w.Code, http.StatusBadRequest)
	})
}

// The newest secret and the second newest verify, older ones do not.
func TestRotationOfAConnectionsSecret(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g := newGateway(t, s)
		testkit.Equal(t, "before there is one", g.send("host-f", g.row.ID, "guid-0", bare("", opened), strings.NewReader(opened)).Code, http.StatusUnauthorized)
		keys := []string{g.rotate(), g.rotate(), g.rotate()}
		for i, want := range []int{http.StatusUnauthorized, http.StatusAccepted, http.StatusAccepted} {
			got := g.send("host-f", g.row.ID, "guid-"+keys[i][:8]+string(rune('a'+i)), bare(keys[i], opened), strings.NewReader(opened))
			testkit.Equal(t, "secret "+string(rune('1'+i)), got.Code, want)
		}
	})
}

// An unknown connection costs the same as a wrong signature: the body is read to its end, and nothing
// of it is kept.
func TestAnUnknownConnectionIsReadAsAWrongSignatureIs(t *testing.T) {
	g := newGateway(t, storetest.SQLite(t))
	key := g.rotate()
	body := strings.Repeat(" ", 200_000) + opened
	for _, id := range []string{g.row.ID, "pcn_never"} {
		from := &counted{Reader: strings.NewReader(body)}
		g.send("host-f", id, "guid", bare("not "+key, body), from)
		if from.n.Load() != int64(len(body)) {
			t.Errorf("%d bytes to %s, %d of them were read", len(body), id, from.n.Load())
		}
	}
}

// The webhook of a repository has an address and a secret of its own.
func TestDeliveryToTheWebhookOfARepository(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g := newGateway(t, s)
		older, key := g.rotate(), g.rotate()
		of := func(key, repository string) string {
			return codehost.HookSecret(secret.New(key), domain.HostID(repository)).Reveal()
		}
		for name, tc := range map[string]struct {
			query, key string
			want       int
		}{
			"its own secret":                    {"?repository=5", of(key, "5"), 202},
			"its own secret before the newest":  {"?repository=5", of(older, "5"), 202},
			"an id that is not a number":        {"?repository=%7B5-a%7D", of(key, "{5-a}"), 202},
			"the secret of the connection":      {"?repository=5", key, 401},
			"the secret of another one":         {"?repository=5", of(key, "6"), 401},
			"its secret at the connection":      {"", of(key, "5"), 401},
			"two repositories":                  {"?repository=5&repository=6", of(key, "5"), 401},
			"no repository":                     {"?repository=", of(key, "5"), 401},
			"the connection's secret, and none": {"?repository=", key, 401},
		} {
			got := g.send("host-f", g.row.ID+tc.query, "guid "+name, bare(tc.key, opened), strings.NewReader(opened))
			testkit.Equal(t, name, got.Code, tc.want)
			rows, err := s.DeliveriesByGUID(bg, "guid "+name)
			testkit.OK(t, err)
			testkit.Equal(t, name+": rows", len(rows) == 1, tc.want == 202)
			if len(rows) == 1 {
				want, _ := url.QueryUnescape(strings.TrimPrefix(tc.query, "?repository="))
				testkit.Equal(t, name+": repository", string(rows[0].Repository), want)
			}
		}
	})
}

// After a repository's webhook has signed deliveries, a plain secret in a header is no longer accepted
// for it, until the connection has another secret.
func TestASecretAloneAfterASignature(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g := newGateway(t, s)
		w := wire()
		verify := w.Verify
		w.Signed = func(h http.Header) bool { return h.Get("X-Token") == "" }
		w.Verify = func(h http.Header, body []byte, secrets []secret.Secret) error {
			for _, s := range secrets {
				if h.Get("X-Token") == s.Reveal() {
					return nil
				}
			}
			return verify(h, body, secrets)
		}
		w.Repository = func(body []byte) domain.HostID {
			if strings.Contains(string(body), `"id":5`) {
				return "5"
			}
			return "6"
		}
		key := g.rotate()
		n := 0
		send := func(body, token string) int {
			t.Helper()
			handler := webhook.NewConnection(webhook.ConnectionConfig{Store: s, Connections: webhook.NewConnections(s, g.ring), Kind: domain.Forgejo, Wire: w, MaxBody: g.maxBody,
				Budget: 10 * time.Second, Logger: slog.New(slog.DiscardHandler)})
			mux := http.NewServeMux()
			mux.Handle("POST /{connectionId}", handler)
			n++
			r := httptest.NewRequest(http.MethodPost, "/"+g.row.ID, strings.NewReader(body))
			for name, value := range map[string]string{"X-Event": "push", "X-Delivery": fmt.Sprint("guid-", n), "X-Signature": bare(key, body), "X-Token": token} {
				r.Header.Set(name, value)
			}
			out := httptest.NewRecorder()
			mux.ServeHTTP(out, r)
			return out.Code
		}
		const other = `{"repository":{"id":6}}`
		testkit.Equal(t, "the secret alone, at first", send(opened, key), 202)
		testkit.Equal(t, "a signature", send(opened, ""), 202)
		testkit.Equal(t, "the secret alone, afterwards", send(opened, key), 401)
		testkit.Equal(t, "the secret alone, of another repository", send(other, key), 202)
		testkit.Equal(t, "another signature", send(opened, ""), 202)
		key = g.rotate()
		testkit.Equal(t, "the new secret alone", send(opened, key), 202)
	})
}
