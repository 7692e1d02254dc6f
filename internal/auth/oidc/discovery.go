package oidc

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/assay-dev/assay/internal/outbound"
)

// metadata is the discovery document (OpenID Connect Discovery 1.0, section 3; RFC 8414; RFC 9207, section
// 3).
type metadata struct {
	Issuer        string   `json:"issuer"`
	AuthURL       string   `json:"authorization_endpoint"`
	TokenURL      string   `json:"token_endpoint"`
	UserinfoURL   string   `json:"userinfo_endpoint"`
	KeysURL       string   `json:"jwks_uri"`
	ResponseTypes []string `json:"response_types_supported"`
	GrantTypes    []string `json:"grant_types_supported"`
	Scopes        []string `json:"scopes_supported"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	InfoAlgs      []string `json:"userinfo_signing_alg_values_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	IssParameter  bool     `json:"authorization_response_iss_parameter_supported"`
}

// issuer is the cached data of an issuer.
type issuer struct {
	meta  metadata
	keys  *keySet
	until time.Time
}

// issuer returns the data of an issuer, and asks for them if they are missing or too old. Known keys
// survive a new discovery with the same key address. Anyone can begin a sign-in, so concurrent callers
// share one request, and a failed request is not repeated for failureLife.
func (p *Party) issuer(ctx context.Context, name string) (*issuer, error) {
	if known, err := p.cachedIssuer(name); known != nil || err != nil {
		return known, err
	}
	v, err, _ := p.asking.Do(name, func() (any, error) {
		if known, err := p.cachedIssuer(name); known != nil || err != nil { // another caller has just asked
			return known, err
		}
		return p.refreshIssuer(context.WithoutCancel(ctx), name) // other callers wait for it, and the client has its own timeout
	})
	known, _ := v.(*issuer)
	return known, err
}

// cachedIssuer returns the cached data of an issuer, or a cached error; nil if the issuer must be asked.
func (p *Party) cachedIssuer(name string) (*issuer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.known[name]; old != nil && p.now().Before(old.until) {
		return old, nil
	}
	if f, ok := p.failed.Get(name); ok && p.now().Before(f.until) {
		return nil, f.err
	}
	return nil, nil
}

// failure is a cached error of an issuer.
type failure struct {
	err   error
	until time.Time
}

// refreshIssuer asks an issuer, and caches the answer.
func (p *Party) refreshIssuer(ctx context.Context, name string) (*issuer, error) {
	meta, err := p.discover(ctx, name)
	if err == nil && meta.Issuer != name {
		err = problem("discovery names another issuer than the configured one")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.failed.Add(name, failure{err, p.now().Add(failureLife)})
		return nil, err
	}
	p.failed.Remove(name)
	fresh := &issuer{meta: meta, until: p.now().Add(metadataLife)}
	fresh.keys = newKeySet(p, meta.KeysURL)
	if old := p.known[name]; old != nil && old.meta.KeysURL == meta.KeysURL {
		fresh.keys = old.keys
	}
	if len(p.known) >= maxKnown {
		clear(p.known)
	}
	p.known[name] = fresh
	return fresh, nil
}

// discover reads the metadata of an issuer without trusting any of it.
func (p *Party) discover(ctx context.Context, name string) (m metadata, err error) {
	return m, p.getJSON(ctx, strings.TrimSuffix(name, "/")+"/.well-known/openid-configuration", &m)
}

// getJSON reads a JSON document. Its errors are sentences without the received text.
func (p *Party) getJSON(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return problem("the address is not one of the web")
	}
	req.Header.Set("Accept", "application/json")
	_, body, err := p.send(req)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil || string(bytes.TrimSpace(body)) == "null" {
		return problem("the answer is not the JSON document that it should be")
	}
	return nil
}

// read reads an answer within its bounds. The estimate of the memory for decoding is high: a thousand
// groups in a token count as 32 KiB.
func read(resp *http.Response) ([]byte, error) {
	return outbound.ReadAnswer(resp, outbound.Bound{Bytes: maxAnswer, Memory: 8 * maxAnswer, Entries: outbound.NoList})
}

// send sends a request and reads an answer with status 200.
func (p *Party) send(req *http.Request) (contentType string, body []byte, err error) {
	resp, err := outbound.Do(p.client, req)
	if err != nil {
		return "", nil, problem(describe(err))
	}
	defer resp.Body.Close() //nolint:errcheck // there is nothing to lose
	if body, err = read(resp); err != nil {
		return "", nil, problem(describe(err))
	}
	if resp.StatusCode != http.StatusOK {
		return "", nil, problem(fmt.Sprintf("the answer has status %d, not 200", resp.StatusCode))
	}
	return resp.Header.Get("Content-Type"), body, nil
}

// usable returns an error if the discovery document does not allow a sign-in.
func (m metadata) usable() error {
	for name, address := range map[string]string{"authorization_endpoint": m.AuthURL, "token_endpoint": m.TokenURL,
		"jwks_uri": m.KeysURL, "userinfo_endpoint": m.UserinfoURL} {
		if address == "" && name == "userinfo_endpoint" {
			continue
		}
		if why := m.endpoint(address); why != "" {
			return problem(name + " " + why)
		}
	}
	if len(m.algorithms()) == 0 {
		return problem("none of the provider's signature algorithms is asymmetric")
	}
	return nil
}

// endpoint returns the problem with an address from discovery; "" if it is usable. It must be https unless
// the issuer itself is http, which only the operator's air-gap configuration makes reachable.
func (m metadata) endpoint(address string) string {
	if address == "" {
		return "is missing"
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return "is not an absolute URL of the web"
	}
	if u.Scheme == "http" && !strings.HasPrefix(m.Issuer, "http://") {
		return "is not https"
	}
	return ""
}

// asymmetricAlgorithms returns the algorithms that may sign an ID token. A signature with the client's secret proves
// nothing, because the client can make it itself; "none" proves nothing at all.
func asymmetricAlgorithms() []string {
	return []string{"RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA"}
}

// algorithms returns the algorithms for ID tokens that both sides accept. A provider must support RS256
// (Discovery 1.0, section 3), which applies if it announces nothing.
func (m metadata) algorithms() []string {
	if len(m.Algorithms) == 0 {
		return []string{"RS256"}
	}
	return acceptedAlgorithms(m.Algorithms)
}

// infoAlgorithms returns the algorithms for signed userinfo; those for ID tokens if the provider announces
// nothing for it.
func (m metadata) infoAlgorithms() []string {
	if len(m.InfoAlgs) == 0 {
		return m.algorithms()
	}
	return acceptedAlgorithms(m.InfoAlgs)
}

func acceptedAlgorithms(announced []string) (out []string) {
	for _, a := range asymmetricAlgorithms() {
		if slices.Contains(announced, a) {
			out = append(out, a)
		}
	}
	return out
}

// authStyle returns how the client authenticates: with HTTP Basic, the default (Discovery 1.0, section 3),
// or in the form if only that is announced.
func (m metadata) authStyle() oauth2.AuthStyle {
	if slices.Contains(m.AuthMethods, "client_secret_post") && !slices.Contains(m.AuthMethods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// problem is an error whose text may be shown to an administrator.
type problem string

// Error implements error.
func (p problem) Error() string { return string(p) }

func errorAs[E error](err error) (E, bool) { return errors.AsType[E](err) }

// describe returns a sentence about a failed request. Host names and ports come from the configuration or
// from discovery.
func describe(err error) string {
	if r, ok := errorAs[*outbound.RefusedError](err); ok {
		return "assay must not connect to it: " + r.Error()
	}
	if r, ok := errorAs[*outbound.RedirectError](err); ok {
		return fmt.Sprintf("it answers with a redirect (%d), which is not followed; enter the final address", r.Status)
	}
	var (
		beyond    *outbound.BoundError
		unknownCA x509.UnknownAuthorityError
		wrongName x509.HostnameError
		handshake *tls.CertificateVerificationError
		dns       *net.DNSError
		timeout   net.Error
	)
	switch {
	case errors.As(err, &beyond):
		return "the answer is larger than allowed: " + beyond.Reason
	case errors.Is(err, outbound.ErrTooLarge):
		return fmt.Sprintf("the answer is larger than %d KiB", maxAnswer>>10)
	case errors.As(err, &unknownCA):
		return "its certificate comes from an authority that is not trusted; the operator can name a file with authorities"
	case errors.As(err, &wrongName):
		return "its certificate is for another name"
	case errors.As(err, &handshake):
		return "its certificate is not valid"
	case errors.As(err, &dns):
		return "its name could not be resolved"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "it does not answer in time"
	}
	return "it could not be reached"
}
