package oidc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// Verdict is one line of a test: the check and its result.
type Verdict struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message" doc:"What was found, and where it is wrong what would be right"`
}

// The names of the checks, in their order.
const (
	CheckDiscovery  = "discovery"
	CheckIssuer     = "issuer"
	CheckEndpoints  = "endpoints"
	CheckKeys       = "keys"
	CheckAlgorithms = "algorithms"
	CheckFlow       = "flow"
	CheckScopes     = "scopes"
	CheckClient     = "client"
)

// Test tests a provider and returns line by line whether people can sign in with it. Checks whose input an
// earlier check did not get are skipped. It signs no person in and uses no cached data. Messages contain
// nothing that the provider sent.
func (p *Party) Test(ctx context.Context, at Provider, redirect string) []Verdict {
	var out []Verdict
	add := func(name string, ok bool, message string) {
		out = append(out, Verdict{name, ok, strings.ToUpper(message[:1]) + message[1:] + "."})
	}
	m, err := p.discover(ctx, at.Issuer)
	if err != nil {
		add(CheckDiscovery, false, "the document /.well-known/openid-configuration below the issuer is not usable: "+err.Error())
		return out
	}
	add(CheckDiscovery, true, "the document /.well-known/openid-configuration was read")
	if m.Issuer == at.Issuer {
		add(CheckIssuer, true, "discovery names the configured issuer")
	} else {
		add(CheckIssuer, false, issuerMessage(m.Issuer, at.Issuer))
	}
	ok, message := m.testEndpoints()
	add(CheckEndpoints, ok, message)
	ok, message = p.testKeys(ctx, m)
	add(CheckKeys, ok, message)
	if list := m.algorithms(); len(list) > 0 {
		add(CheckAlgorithms, true, "ID tokens may be signed with "+strings.Join(list, ", "))
	} else {
		add(CheckAlgorithms, false, "the provider announces no asymmetric signature algorithm for ID tokens; RS256, ES256 or EdDSA "+
			"would be right")
	}
	ok, message = m.testFlow()
	add(CheckFlow, ok, message)
	ok, message = m.testScopes(at)
	add(CheckScopes, ok, message)
	ok, message = p.testClient(ctx, at, m, redirect)
	add(CheckClient, ok, message)
	return out
}

// issuerMessage describes how two issuers differ without repeating the discovered one.
func issuerMessage(found, want string) string {
	if strings.TrimSuffix(found, "/") == strings.TrimSuffix(want, "/") {
		return "discovery names the issuer with a different slash at its end; make an identity provider whose issuer has exactly the " +
			"provider's form"
	}
	if strings.EqualFold(found, want) {
		return "discovery names the issuer with different letter case; make an identity provider whose issuer has exactly the provider's form"
	}
	return "discovery names another issuer than the configured one; at Entra ID use the address with the directory's id, not common " +
		"or organizations"
}

func (m metadata) testEndpoints() (bool, string) {
	for _, e := range []struct{ name, address string }{{"authorization_endpoint", m.AuthURL}, {"token_endpoint", m.TokenURL},
		{"jwks_uri", m.KeysURL}, {"userinfo_endpoint", m.UserinfoURL}} {
		if e.address == "" && e.name == "userinfo_endpoint" {
			continue
		}
		if why := m.endpoint(e.address); why != "" {
			return false, e.name + " " + why
		}
	}
	if strings.HasPrefix(m.Issuer, "http://") {
		return true, "authorization, token and key endpoints are named; they may be plain http, as the issuer is, by the air-gap configuration"
	}
	return true, "authorization, token and key endpoints are named, with https"
}

func (p *Party) testKeys(ctx context.Context, m metadata) (bool, string) {
	if m.endpoint(m.KeysURL) != "" {
		return false, "the keys cannot be read without a right jwks_uri"
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := p.getJSON(ctx, m.KeysURL, &set); err != nil {
		return false, "the key set is not usable: " + err.Error()
	}
	n := len(publicKeys(set.Keys))
	if n == 0 {
		return false, "the key set has no public key for signatures"
	}
	return true, fmt.Sprintf("the key set has %d public keys for signatures", n)
}

func (m metadata) testFlow() (bool, string) {
	if len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code") {
		return false, "the provider does not announce response_type code"
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code") {
		return false, "the provider does not announce the grant authorization_code"
	}
	if len(m.Challenges) == 0 {
		return true, "the authorization code flow is there; PKCE is not announced; assay uses it anyway"
	}
	if !slices.Contains(m.Challenges, "S256") {
		return false, "the provider announces PKCE without S256, which is the only method that is used"
	}
	return true, "the authorization code flow with PKCE (S256) is there"
}

func (m metadata) testScopes(at Provider) (bool, string) {
	if len(m.Scopes) == 0 {
		return true, "the provider does not announce its scopes"
	}
	for n, s := range withOpenID(at.Scopes) {
		if !slices.Contains(m.Scopes, s) {
			return false, fmt.Sprintf("the provider does not announce the scope %q, number %d of those that are asked for", s, n+1)
		}
	}
	return true, "the provider announces every scope that is asked for"
}

// probeCode is an invalid code: a provider that accepts the client refuses it.
const probeCode = "assay-configuration-test"

// testClient tries client id and secret with an unknown code. A provider should check the client first (RFC
// 6749, section 5.2): invalid_grant means that it accepts the client, invalid_client that it does not. Some
// check the code first and answer invalid_grant to every client. Gitea and Forgejo answer
// unauthorized_client to an unknown code and to a wrong secret, with different words. In these cases the
// answer to a random secret decides. If both answers are equal, a refresh token is tried as well.
func (p *Party) testClient(ctx context.Context, at Provider, m metadata, redirect string) (bool, string) {
	if m.endpoint(m.TokenURL) != "" {
		return false, "the client cannot be tried without a right token_endpoint"
	}
	if len(m.AuthMethods) > 0 && !slices.Contains(m.AuthMethods, "client_secret_basic") &&
		!slices.Contains(m.AuthMethods, "client_secret_post") {
		return false, "the provider announces neither client_secret_basic nor client_secret_post for its token endpoint"
	}
	for n, form := range []url.Values{
		{"grant_type": {"authorization_code"}, "code": {probeCode}, "redirect_uri": {redirect}, "code_verifier": {oauth2.GenerateVerifier()}},
		{"grant_type": {"refresh_token"}, "refresh_token": {probeCode}},
	} {
		got, err := p.try(ctx, at, m, form)
		if err != nil && n == 0 {
			return false, err.Error()
		}
		switch {
		case err != nil:
		case n == 0 && got.Code == "unauthorized_client" && got.Status != http.StatusUnauthorized &&
			p.distinguishesSecrets(ctx, at, m, form, got):
			return true, saysAccepted
		case n == 0 && got.Code != "invalid_grant", got.refusesClient():
			return got.verdict()
		case got.Code == "invalid_grant":
			if other, err := p.try(ctx, withRandomSecret(at), m, form); err == nil && other.Code != got.Code {
				return true, saysAccepted
			}
		}
	}
	return true, "the provider answers a wrong secret as it answers the configured one; only a sign-in shows whether it accepts " +
		"client id and secret"
}

const saysAccepted = "the provider accepts client id and secret"

// withRandomSecret returns the provider with a secret that it has never issued.
func withRandomSecret(at Provider) Provider {
	at.ClientSecret = secret.New(rand.Text())
	return at
}

// distinguishesSecrets reports whether the provider answers wrong secrets in other words than the configured one. It
// tries two wrong secrets, because some providers put a time or a number into each answer.
func (p *Party) distinguishesSecrets(ctx context.Context, at Provider, m metadata, form url.Values, got clientTrial) bool {
	one, err := p.try(ctx, withRandomSecret(at), m, form)
	if err != nil || one == got {
		return false
	}
	two, err := p.try(ctx, withRandomSecret(at), m, form)
	return err == nil && one == two
}

// clientTrial is the answer of a token endpoint to a form.
type clientTrial struct {
	Code        string `json:"error"` // "" without an error code
	Description string `json:"error_description"`
	Status      int    `json:"-"`
}

func (t clientTrial) refusesClient() bool {
	return t.Code == "invalid_client" || t.Status == http.StatusUnauthorized
}

// try sends a form to the token endpoint. Its errors are sentences without the sent values.
func (p *Party) try(ctx context.Context, at Provider, m metadata, form url.Values) (clientTrial, error) {
	form = maps.Clone(form)
	post := m.authStyle() == oauth2.AuthStyleInParams
	if post {
		form.Set("client_id", at.ClientID)
		form.Set("client_secret", at.ClientSecret.Reveal())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return clientTrial{}, problem("the token_endpoint is not an address of the web")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if !post {
		req.SetBasicAuth(url.QueryEscape(at.ClientID), url.QueryEscape(at.ClientSecret.Reveal())) // RFC 6749, section 2.3.1
	}
	resp, err := outbound.Do(p.client, req)
	if err != nil {
		return clientTrial{}, problem("the token endpoint cannot be asked: " + describe(err))
	}
	defer resp.Body.Close() //nolint:errcheck // there is nothing to lose
	body, err := read(resp)
	if err != nil {
		return clientTrial{}, problem("the token endpoint cannot be asked: " + describe(err))
	}
	var answer clientTrial
	_ = json.Unmarshal(body, &answer) // a body that is not JSON has no error code
	answer.Status = resp.StatusCode
	return answer, nil
}

// verdict returns whether the answer proves that the provider accepts the client, with a sentence.
func (t clientTrial) verdict() (bool, string) {
	switch code := t.Code; code {
	case "invalid_client", "unauthorized_client":
		return false, "the provider does not accept client id and secret (" + code + ")"
	case "redirect_uri_mismatch":
		return false, "the redirect address is not registered at the provider"
	case "invalid_request", "unsupported_grant_type", "access_denied", "invalid_scope", "server_error", "temporarily_unavailable":
		return false, "the provider answered the trial with " + code + ", which does not tell whether it accepts client id and secret"
	}
	if t.Status == http.StatusUnauthorized {
		return false, "the provider does not accept client id and secret (status 401)"
	}
	return false, fmt.Sprintf("the token endpoint answered the trial with status %d and without an error code of OAuth 2.0", t.Status)
}
