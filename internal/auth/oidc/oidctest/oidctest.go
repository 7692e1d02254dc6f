// Package oidctest runs an OpenID provider for tests: the certified provider library of
// github.com/zitadel/oidc, behind a real TLS listener. Tests can alter its answers, to check how a relying
// party handles them.
package oidctest

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/storage"
	zoidc "github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/assay-dev/assay/internal/testkit"
)

// ClientID is the only client of a server.
const ClientID = "assay"

// ClientSecret returns the client's secret, assembled at run time so that scanners do not report it.
func ClientSecret() string { return strings.Join([]string{"oidc", "test", "client"}, "-") }

// Server is a provider on its own listener. Its answers may be changed between requests with
// [Server.Change].
type Server struct {
	Issuer string
	Port   int
	Roots  *x509.CertPool // trusts its certificate

	mu      sync.Mutex
	answers Answers
	key     signingKey
	storage *store
	client  *http.Client
}

// Answers are changes to a server's answers. The zero value is an unchanged provider.
type Answers struct {
	TokenClaims    map[string]any // added to ID tokens
	UserinfoClaims map[string]any // added to userinfo
	Discovery      func(document map[string]any)
	// Forge replaces an ID token; sign makes one with the server's key.
	Forge func(claims map[string]any, sign func(claims map[string]any) string) string
	// SignUserinfo makes userinfo a JWT (OpenID Connect Core 1.0, section 5.3.2).
	SignUserinfo func(claims map[string]any, sign func(claims map[string]any) string) string
	// NoKeyID leaves the key's name out of the headers of tokens from Forge and SignUserinfo.
	NoKeyID bool
	// Replace answers a request itself if it returns true.
	Replace func(w http.ResponseWriter, r *http.Request) bool
}

// New starts a server that accepts one client with redirect addresses.
func New(t testing.TB, redirects ...string) *Server {
	t.Helper()
	s := &Server{key: newKey()}
	memory := idle.take()
	t.Cleanup(func() { idle.give(memory) }) // after the listener is closed
	memory.clients[ClientID] = storage.WebClient(ClientID, ClientSecret(), redirects...)
	s.storage = &store{Storage: memory.Storage, server: s}
	listener := httptest.NewUnstartedServer(nil)
	s.Issuer = "https://" + listener.Listener.Addr().String()
	provider, err := op.NewProvider(&op.Config{CryptoKey: [32]byte{1}, CodeMethodS256: true, AuthMethodPost: true,
		GrantTypeRefreshToken: true}, s.storage, op.StaticIssuer(s.Issuer),
		op.WithLogger(slog.New(slog.DiscardHandler)))
	testkit.OK(t, err)
	listener.Config.Handler = s.alter(provider)
	listener.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	listener.StartTLS()
	t.Cleanup(listener.Close)
	s.Port = listener.Listener.Addr().(*net.TCPAddr).Port
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(listener.Certificate())
	s.client = listener.Client()
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

// memory is a storage of the library. Making one takes a quarter of a second, because the library makes an
// RSA key that [store] does not use. Servers therefore reuse memories: ids are random, so the data of an
// earlier server are not found.
type memory struct {
	*storage.Storage
	clients map[string]*storage.Client // the storage's clients
}

// idle are the unused memories.
var idle memories

type memories struct {
	mu   sync.Mutex
	free []memory
}

func (m *memories) give(one memory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free = append(m.free, one)
}

func (m *memories) take() memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.free) - 1; n >= 0 {
		one := m.free[n]
		m.free = m.free[:n]
		return one
	}
	clients := map[string]*storage.Client{}
	return memory{storage.NewStorageWithClients(users{}, clients), clients}
}

// Change changes the server's answers from now on.
func (s *Server) Change(f func(a *Answers)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.answers)
}

func (s *Server) now() Answers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers
}

// Rotate replaces the server's key; the old one is gone at once.
func (s *Server) Rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = newKey()
}

func (s *Server) signingKey() signingKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key
}

// Public returns the server's present public key.
func (s *Server) Public() crypto.PublicKey { return s.signingKey().key.Public() }

// SignIn acts as browser and person at the provider: it opens the address, signs in as subject, and returns
// the query with which the provider sends the browser back.
func (s *Server) SignIn(t testing.TB, address, subject string) url.Values {
	t.Helper()
	login := s.redirect(t, address)
	request := login.Query().Get("authRequestID")
	if request == "" {
		t.Fatalf("the provider did not begin a sign-in, but sent the browser to %s", login)
	}
	testkit.OK(t, s.storage.CheckUsernamePassword(subject, password, request))
	return s.redirect(t, s.Issuer+"/authorize/callback?id="+url.QueryEscape(request)).Query()
}

func (s *Server) redirect(t testing.TB, address string) *url.URL {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	testkit.OK(t, err)
	resp, err := s.client.Do(req)
	testkit.OK(t, err)
	defer resp.Body.Close() //nolint:errcheck // a test
	to, err := resp.Location()
	if err != nil {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: status %d without Location: %s", address, resp.StatusCode, body)
	}
	return to
}

// Sign makes a token of claims with a key. With id "" its header names no key.
func Sign(algorithm jose.SignatureAlgorithm, key any, id string, claims map[string]any) string {
	options := (&jose.SignerOptions{}).WithType("JWT")
	if id != "" {
		options = options.WithHeader("kid", id)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		panic(err) // a test with a wrong key
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		panic(err)
	}
	out, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return out
}

// alter changes answers on their way out.
func (s *Server) alter(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := s.now()
		if a.Replace != nil && a.Replace(w, r) {
			return
		}
		switch {
		case r.URL.Path == "/.well-known/openid-configuration" && a.Discovery != nil:
			rewrite(w, r, next, a.Discovery)
		case r.URL.Path == "/oauth/token" && a.Forge != nil:
			rewrite(w, r, next, func(answer map[string]any) {
				raw, ok := answer["id_token"].(string)
				if !ok {
					return
				}
				answer["id_token"] = a.Forge(payload(raw), s.signer(a))
			})
		case r.URL.Path == "/userinfo" && a.SignUserinfo != nil:
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			claims := map[string]any{}
			if err := json.Unmarshal(rec.Body.Bytes(), &claims); err != nil {
				panic(err)
			}
			claims["iss"], claims["aud"] = s.Issuer, ClientID
			w.Header().Set("Content-Type", "application/jwt; charset=UTF-8")
			_, _ = io.WriteString(w, a.SignUserinfo(claims, s.signer(a)))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// signer returns a function that signs with the server's key.
func (s *Server) signer(a Answers) func(map[string]any) string {
	return func(claims map[string]any) string {
		k := s.signingKey()
		if a.NoKeyID {
			k.id = ""
		}
		return Sign(jose.ES256, k.key, k.id, claims)
	}
}

func rewrite(w http.ResponseWriter, r *http.Request, next http.Handler, change func(map[string]any)) {
	rec := httptest.NewRecorder()
	next.ServeHTTP(rec, r)
	document := map[string]any{}
	body := rec.Body.Bytes()
	if json.Unmarshal(body, &document) == nil {
		change(document)
		body, _ = json.Marshal(document)
	}
	maps.Copy(w.Header(), rec.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(rec.Code)
	_, _ = io.Copy(w, bytes.NewReader(body))
}

func payload(token string) map[string]any {
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		panic(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

// password is the password of all users, because only the relying party is tested.
const password = "open"

// users accepts every name.
type users struct{}

func (users) GetUserByID(id string) *storage.User       { return user(id) }
func (users) GetUserByUsername(id string) *storage.User { return user(id) }
func (users) ExampleClientID() string                   { return "service" }

func user(id string) *storage.User {
	return &storage.User{ID: id, Username: id, Password: password, FirstName: "Person", LastName: id, Email: "same@example.com"}
}

// store is the library's storage in memory with our keys and claims.
type store struct {
	*storage.Storage
	server *Server
}

type signingKey struct {
	id  string
	key *ecdsa.PrivateKey
}

func newKey() signingKey {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return signingKey{rand.Text(), k}
}

func (k signingKey) ID() string                                  { return k.id }
func (k signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.ES256 }
func (k signingKey) Key() any                                    { return k.key }

type publicKey struct{ signingKey }

func (k publicKey) Algorithm() jose.SignatureAlgorithm { return jose.ES256 }
func (k publicKey) Use() string                        { return "sig" }
func (k publicKey) Key() any                           { return &k.key.PublicKey }

// SigningKey implements the library's storage.
func (s *store) SigningKey(context.Context) (op.SigningKey, error) { return s.server.signingKey(), nil }

// SignatureAlgorithms implements the library's storage.
func (s *store) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.ES256}, nil
}

// KeySet implements the library's storage.
func (s *store) KeySet(context.Context) ([]op.Key, error) {
	return []op.Key{publicKey{s.server.signingKey()}}, nil
}

// SetUserinfoFromRequest adds the claims of ID tokens.
func (s *store) SetUserinfoFromRequest(ctx context.Context, info *zoidc.UserInfo, request op.IDTokenRequest, scopes []string) error {
	if err := s.Storage.SetUserinfoFromRequest(ctx, info, request, scopes); err != nil {
		return err
	}
	for name, value := range s.server.now().TokenClaims {
		info.AppendClaims(name, value)
	}
	return nil
}

// SetUserinfoFromToken adds the claims of userinfo.
func (s *store) SetUserinfoFromToken(ctx context.Context, info *zoidc.UserInfo, token, subject, origin string) error {
	if err := s.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin); err != nil {
		return err
	}
	for name, value := range s.server.now().UserinfoClaims {
		info.AppendClaims(name, value)
	}
	return nil
}
