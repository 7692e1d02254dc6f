// Package signin is the OpenID Connect provider of a simulated host. Each host sets its own paths, prefixes of
// secrets, claims and error texts in [Config].
//
// It implements the authorization code flow of a confidential client (RFC 6749, RFC 7636 and OpenID Connect
// Core 1.0). Refresh tokens cannot be used.
package signin

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// codeLife bounds the life of a code (RFC 6749, section 4.1.2: at most ten minutes).
const codeLife = 10 * time.Minute

// State is the stored state of sign-ins. It is part of the host's state file.
type State struct {
	Clients    map[string]*Client // by client id
	Codes      map[string]*Code   // by the hash of the text
	SigningKey string             // PEM, of identity tokens
}

// NewState returns a state without applications. The key is made when the first identity token is signed.
func NewState() State { return State{Clients: map[string]*Client{}, Codes: map[string]*Code{}} }

// Client is an application that signs people in.
type Client struct {
	ID         string // the protocol's client_id
	Number     int64
	OwnerID    int64
	Name       string
	SecretHash string
	Redirects  []string
	Created    host.Micros
}

// Code is an authorization code that has not been exchanged.
type Code struct {
	ClientID  string
	UserID    int64
	Challenge string
	Redirect  string
	Nonce     string
	Scopes    []string
	Expires   int64 // seconds
}

// Person is an account that can sign in.
type Person struct {
	ID    int64
	Login string
}

// Config describes a host's differences. All fields are required.
type Config struct {
	// Server is the host. Its address is the issuer.
	Server *host.Server
	State  *State
	// AuthorizePath and the others are paths below the address of the instance.
	AuthorizePath, TokenPath, UserInfoPath, KeysPath string
	// CodePrefix and SecretPrefix begin codes and secrets of applications.
	CodePrefix, SecretPrefix string
	// AccessLife is the life of an access token.
	AccessLife time.Duration
	// BadCode is the error for an unknown or used code, BadSecret the error for a wrong secret of a known
	// application.
	BadCode, BadSecret string
	// BadClient is the status of answers to an unknown application or a wrong secret.
	BadClient int
	// Discovery holds the host's additions to the discovery document.
	Discovery host.Obj
	// People returns the accounts that may sign in.
	People func() []Person
	// Issue makes a person's access token that ends at a time.
	Issue func(id int64, client *Client, scopes []string, ends time.Time) string
	// Claims returns the identity token's claims beside the protocol's; nil if the account is gone.
	Claims func(id int64, scopes []string) host.Obj
}

// DiscoveryPath is the path of the discovery document (OpenID Connect Discovery 1.0, section 4).
const DiscoveryPath = "/.well-known/openid-configuration"

// Provider signs people in. Its methods need the lock of the host's state, except RegisterClient.
type Provider struct {
	Config
	key *rsa.PrivateKey // nil until it is needed; see [Provider.signingKey]
}

// New returns a provider with the state of c.
func New(c Config) (*Provider, error) {
	if c.State.Clients == nil { // an older state file lacks them
		c.State.Clients, c.State.Codes = map[string]*Client{}, map[string]*Code{}
	}
	p := &Provider{Config: c}
	if c.State.SigningKey == "" {
		return p, nil
	}
	block, _ := pem.Decode([]byte(c.State.SigningKey))
	if block == nil {
		return nil, errors.New("the state file has no signing key: remove the data folder to start again")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the signing key: %w", err)
	}
	p.key = key
	return p, nil
}

// signingKey returns the key of identity tokens. It makes the key at the first call, because that takes a
// fifth of a second and few hosts need it.
func (p *Provider) signingKey() (*rsa.PrivateKey, error) {
	if p.key != nil {
		return p.key, nil
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, fmt.Errorf("make a signing key: %w", err)
	}
	p.key = key
	p.State.SigningKey = string(pem.EncodeToMemory(&pem.Block{Type: "RSA " + "PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	p.Server.Touch()
	return key, nil
}

// RegisterClient registers an application for the control interface.
func (p *Provider) RegisterClient(_ context.Context, spec simapi.ClientSpec) (simapi.Client, error) {
	p.Server.Mu.Lock()
	defer p.Server.Mu.Unlock()
	c, secret, err := p.Register(0, spec)
	if err != nil {
		return simapi.Client{}, err
	}
	return simapi.Client{ClientID: c.ID, ClientSecret: secret}, nil
}

// Register registers an application of an account and returns its secret, which is not stored.
func (p *Provider) Register(owner int64, spec simapi.ClientSpec) (*Client, string, error) {
	if spec.Name == "" || len(spec.RedirectURIs) == 0 {
		return nil, "", errors.New("name, redirectUris: must not be empty")
	}
	for _, r := range spec.RedirectURIs {
		if u, err := url.Parse(r); err != nil || u.Host == "" {
			return nil, "", errors.New("redirectUris: must be absolute addresses")
		}
	}
	secret := p.SecretPrefix + host.RandomHex(26)
	c := &Client{ID: host.NewGUID(), Number: p.Server.NewID("client"), OwnerID: owner, Name: spec.Name,
		SecretHash: host.HashHex([]byte(secret)), Redirects: slices.Clone(spec.RedirectURIs), Created: p.Server.NowMicros()}
	p.State.Clients[c.ID] = c
	p.Server.Touch()
	return c, secret, nil
}

// Answer answers a request for a path of the provider, except that of UserInfo.
func (p *Provider) Answer(c *host.Call, set simapi.SignIn) *host.Reply {
	switch c.Path {
	case DiscoveryPath:
		return p.describe()
	case p.KeysPath:
		return p.keys()
	case p.AuthorizePath:
		return p.authorize(c.R, set)
	}
	return p.exchange(c.R, c.Body)
}

// describe returns the host's discovery document (OpenID Connect Discovery 1.0, section 4).
func (p *Provider) describe() *host.Reply {
	base := p.Server.Base
	o := host.Obj{"issuer": base, "authorization_endpoint": base + p.AuthorizePath, "token_endpoint": base + p.TokenPath,
		"jwks_uri": base + p.KeysPath, "userinfo_endpoint": base + p.UserInfoPath,
		"id_token_signing_alg_values_supported": []string{"RS256"}, "subject_types_supported": []string{"public"},
		"code_challenge_methods_supported": []string{"plain", "S256"}}
	maps.Copy(o, p.Discovery)
	return host.JSON(http.StatusOK, o)
}

// keyID names a signing key.
func keyID(key *rsa.PrivateKey) string { return host.HashHex(key.N.Bytes())[:16] }

// keys returns the public keys for checking identity tokens.
func (p *Provider) keys() *host.Reply {
	key, err := p.signingKey()
	if err != nil {
		return host.JSON(http.StatusInternalServerError, host.Obj{"message": err.Error()})
	}
	return host.JSON(http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: keyID(key),
		Algorithm: "RS256", Use: "sig"}}})
}

// authorize shows the choice of people. If the settings or the parameter login_as name a person, it signs that
// person in at once.
func (p *Provider) authorize(r *http.Request, set simapi.SignIn) *host.Reply {
	q := r.URL.Query()
	a := p.State.Clients[q.Get("client_id")]
	if a == nil {
		return page(http.StatusBadRequest, "<h1>Authorization failed</h1><p>Client ID not registered.</p>")
	}
	target := q.Get("redirect_uri")
	back, err := url.Parse(target)
	if err != nil || !slices.Contains(a.Redirects, target) {
		return page(http.StatusBadRequest, "<h1>Authorization failed</h1><p>Unregistered Redirect URI.</p>")
	}
	send := func(with url.Values) *host.Reply {
		if state := q.Get("state"); state != "" {
			with.Set("state", state)
		}
		to := *back
		all := to.Query()
		maps.Copy(all, with)
		to.RawQuery = all.Encode()
		return (&host.Reply{Status: http.StatusFound}).Set("Location", to.String())
	}
	switch m := q.Get("code_challenge_method"); {
	case q.Get("response_type") != "code":
		return send(url.Values{"error": {"unsupported_response_type"}, "error_description": {"Only code response type is supported."}})
	case m != "" && m != "S256" && m != "plain":
		return send(url.Values{"error": {"invalid_request"}, "error_description": {"unsupported code challenge method"}})
	case set.DenySignIn || q.Get("deny") != "":
		return send(url.Values{"error": {"access_denied"}, "error_description": {"the request is denied"}})
	}
	people, login := p.People(), host.OrElse(q.Get("login_as"), set.SignInAs)
	slices.SortFunc(people, func(a, b Person) int { return strings.Compare(a.Login, b.Login) })
	at := slices.IndexFunc(people, func(x Person) bool { return strings.EqualFold(x.Login, login) })
	if at < 0 {
		return p.choose(r, a, people)
	}
	text := p.CodePrefix + host.RandomHex(20)
	challenge := q.Get("code_challenge")
	if challenge != "" && q.Get("code_challenge_method") != "S256" {
		challenge = challengeOf(challenge)
	}
	p.State.Codes[host.HashHex([]byte(text))] = &Code{ClientID: a.ID, UserID: people[at].ID, Challenge: challenge, Redirect: target,
		Nonce:  q.Get("nonce"),
		Scopes: strings.Fields(q.Get("scope")), Expires: p.Server.Now().Add(codeLife).Unix()}
	p.Server.Touch()
	return send(url.Values{"code": {text}})
}

// challengeOf returns the S256 challenge of a verifier (RFC 7636, section 4.2).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// choose returns the page for choosing a person.
func (p *Provider) choose(r *http.Request, a *Client, people []Person) *host.Reply {
	link := func(name, value, text string) string {
		q := r.URL.Query()
		q.Set(name, value)
		return `<a href="?` + html.EscapeString(q.Encode()) + `">` + html.EscapeString(text) + "</a>"
	}
	var b strings.Builder
	b.WriteString("<h1>Sign in to " + html.EscapeString(a.Name) + "</h1><p>This is a simulated " + p.Server.Product() +
		": choose who you are.</p><ul>")
	for _, u := range people {
		b.WriteString("<li>" + link("login_as", u.Login, u.Login) + "</li>")
	}
	b.WriteString("</ul><p>" + link("deny", "1", "Cancel") + "</p>")
	return page(http.StatusOK, b.String())
}

func page(status int, body string) *host.Reply {
	return (&host.Reply{Status: status, Body: []byte("<!doctype html><html lang=\"en\"><meta " +
		"charset=\"utf-8\"><title>Authorize</title>" + body)}).
		Set("Content-Type", "text/html; charset=utf-8")
}

// refuse returns an error of the token endpoint (RFC 6749, section 5.2).
func refuse(status int, code, text string) *host.Reply {
	return host.JSON(status, host.Obj{"error": code, "error_description": text})
}

// exchange answers the token endpoint, with the application's credentials in the body or as Basic.
func (p *Provider) exchange(r *http.Request, body []byte) *host.Reply {
	form, err := formOf(r, body)
	if err != nil {
		return refuse(http.StatusBadRequest, "invalid_request", "the body cannot be read")
	}
	id, secret := form.Get("client_id"), form.Get("client_secret")
	if name, password, isBasic := r.BasicAuth(); isBasic {
		id, secret = name, password
	}
	a := p.State.Clients[id]
	if a == nil {
		return refuse(p.BadClient, "invalid_client", "the client is unknown")
	}
	if subtle.ConstantTimeCompare([]byte(a.SecretHash), []byte(host.HashHex([]byte(secret)))) != 1 {
		return refuse(p.BadClient, p.BadSecret, "the secret of the client is wrong")
	}
	if form.Get("grant_type") != "authorization_code" {
		return refuse(http.StatusBadRequest, "unsupported_grant_type", "Only authorization_code grant type is supported.")
	}
	key := host.HashHex([]byte(form.Get("code")))
	k := p.State.Codes[key]
	delete(p.State.Codes, key)
	p.Server.Touch()
	switch {
	case k == nil, k.ClientID != a.ID, k.Expires <= p.Server.Now().Unix():
		return refuse(http.StatusBadRequest, p.BadCode, "the code is not, or no longer, valid")
	case k.Redirect != form.Get("redirect_uri"):
		return refuse(http.StatusBadRequest, p.BadCode, "redirect_uri does not match")
	case k.Challenge != "" && k.Challenge != challengeOf(form.Get("code_verifier")):
		return refuse(http.StatusBadRequest, p.BadCode, "failed PKCE code challenge")
	}
	return p.grant(a, k)
}

// formOf parses a form, or JSON in its place.
func formOf(r *http.Request, body []byte) (url.Values, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return url.ParseQuery(string(body))
	}
	var in map[string]string
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	form := url.Values{}
	for k, v := range in {
		form.Set(k, v)
	}
	return form, nil
}

// grant returns the answer for an exchanged code.
func (p *Provider) grant(a *Client, k *Code) *host.Reply {
	claims := p.Claims(k.UserID, k.Scopes)
	if claims == nil {
		return refuse(http.StatusBadRequest, "invalid_request", "cannot find the user")
	}
	now := p.Server.Now()
	ends := now.Add(p.AccessLife)
	out := host.Obj{"access_token": p.Issue(k.UserID, a, k.Scopes, ends), "token_type": "bearer",
		"expires_in": int(p.AccessLife.Seconds()), "refresh_token": host.RandomHex(20)}
	if slices.Contains(k.Scopes, "openid") {
		maps.Copy(claims, host.Obj{"iss": p.Server.Base, "sub": strconv.FormatInt(k.UserID, 10), "aud": a.ID, "exp": ends.Unix(),
			"iat": now.Unix()})
		if k.Nonce != "" {
			claims["nonce"] = k.Nonce
		}
		signed, err := p.sign(claims)
		if err != nil {
			return host.JSON(http.StatusInternalServerError, host.Obj{"message": err.Error()})
		}
		out["id_token"] = signed
	}
	return host.JSON(http.StatusOK, out).Set("Cache-Control", "no-store")
}

func (p *Provider) sign(claims host.Obj) (string, error) {
	key, err := p.signingKey()
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key},
		(&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", keyID(key)))
	if err != nil {
		return "", fmt.Errorf("sign an identity token: %w", err)
	}
	signed, err := signer.Sign(host.Encode(claims))
	if err != nil {
		return "", fmt.Errorf("sign an identity token: %w", err)
	}
	return signed.CompactSerialize()
}
