package github

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// maxTokenAnswer is the most bytes of the token endpoint's answer. Real ones have a few hundred.
const maxTokenAnswer = 64 << 10

// SignIn is the part of an App that signs people in. It implements [codehost.SignIn] and is safe for
// concurrent use.
type SignIn struct {
	host         *Host
	clientID     string
	clientSecret secret.Secret
	http         *http.Client
}

var _ codehost.SignIn = (*SignIn)(nil)

// NewSignIn returns a SignIn for an App's host and OAuth client. Requests to the token endpoint use client
// and skip the gate, because they have no budget at GitHub.
func NewSignIn(h *Host, clientID string, clientSecret secret.Secret, client *http.Client) (*SignIn, error) {
	if clientID == "" || !clientSecret.IsSet() {
		return nil, errors.New("github: signing in needs the client id and the client secret of the App")
	}
	return &SignIn{host: h, clientID: clientID, clientSecret: clientSecret, http: client}, nil
}

// Issuer implements [codehost.SignIn].
func (s *SignIn) Issuer() string { return strings.ToLower(strings.TrimRight(s.host.web, "/")) }

// AuthorizeURL implements [codehost.SignIn] (docs.github.com/apps, "Generating a
// user access token for a GitHub App").
func (s *SignIn) AuthorizeURL(state, challenge, redirect string) string {
	q := url.Values{"client_id": {s.clientID}, "redirect_uri": {redirect}, "state": {state}, "code_challenge": {challenge},
		"code_challenge_method": {"S256"}}
	return s.host.web + "/login/oauth/authorize?" + q.Encode()
}

// Exchange implements [codehost.SignIn].
func (s *SignIn) Exchange(ctx context.Context, code, verifier, redirect string) (codehost.PersonToken, error) {
	return s.token(ctx, "exchange code", url.Values{"code": {code}, "code_verifier": {verifier}, "redirect_uri": {redirect}})
}

// Renew implements [codehost.SignIn].
func (s *SignIn) Renew(ctx context.Context, refresh secret.Secret) (codehost.PersonToken, error) {
	return s.token(ctx, "renew token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}})
}

// tokenAnswer is the answer of the token endpoint. Older servers write numbers as text (GitHub changelog,
// 30 April 2020).
type tokenAnswer struct {
	AccessToken      string `json:"access_token"`
	TokenType        string `json:"token_type"`
	ExpiresIn        count  `json:"expires_in"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn count  `json:"refresh_token_expires_in"`
	Error            string `json:"error"`
}

// count is a number of seconds, written as a number or as text.
type count int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *count) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if string(raw) == "null" || string(raw) == `""` {
		v, err = 0, nil
	}
	*n = count(v)
	return err
}

// maxLife is the longest life of a token that we accept.
const maxLife = 366 * 24 * time.Hour

func (n count) life() time.Duration {
	return min(time.Duration(max(int64(n), 0))*time.Second, maxLife)
}

// refusals are errors of the token endpoint that make the same request fail forever (docs.github.com/apps,
// "Troubleshooting OAuth app access token request errors").
var refusals = words(`bad_verification_code bad_refresh_token incorrect_client_credentials redirect_uri_mismatch unverified_user_email
	access_denied invalid_grant invalid_client invalid_request unauthorized_client application_suspended`)

// token sends one request to the token endpoint. It cannot repeat it, because codes and refresh tokens work
// once and a lost answer stays lost.
func (s *SignIn) token(ctx context.Context, op string, form url.Values) (codehost.PersonToken, error) {
	form.Set("client_id", s.clientID)
	form.Set("client_secret", s.clientSecret.Reveal())
	ctx, cancel := context.WithTimeout(ctx, wire.RequestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.host.web+"/login/oauth/access_token", strings.NewReader(form.Encode()))
	if err != nil {
		return codehost.PersonToken{}, &codehost.Error{Class: codehost.ClassInvalid, Op: op, Message: "the web address of the App is malformed"}
	}
	req.GetBody = nil // so that net/http never repeats it
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", wire.UserAgent)
	down := func(status int, err error) (codehost.PersonToken, error) {
		return codehost.PersonToken{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Status: status, Cause: err}
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return down(0, wire.WithoutURL(err))
	}
	defer resp.Body.Close()
	raw, err := outbound.ReadAnswer(resp, outbound.Bound{Bytes: maxTokenAnswer, Memory: outbound.DefaultMemory, Entries: outbound.NoList})
	if err != nil || resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
		return down(resp.StatusCode, err)
	}
	t, refused := readToken(raw)
	if refused != nil {
		refused.Op, refused.Status = op, resp.StatusCode
		return codehost.PersonToken{}, refused
	}
	return t, nil
}

// readToken reads an answer of the token endpoint. It ignores the status, because GitHub refuses with 200.
func readToken(raw []byte) (codehost.PersonToken, *codehost.Error) {
	var a tokenAnswer
	err := json.Unmarshal(raw, &a)
	switch {
	case refusals[a.Error]:
		return codehost.PersonToken{}, &codehost.Error{Class: codehost.ClassForbidden, Message: a.Error}
	case err != nil || a.Error != "" || a.AccessToken == "" || !strings.EqualFold(a.TokenType, "bearer"):
		return codehost.PersonToken{}, &codehost.Error{Class: codehost.ClassUnavailable,
			Message: "the answer is not what the documentation describes"}
	}
	out := codehost.PersonToken{Access: secret.New(a.AccessToken), AccessLife: a.ExpiresIn.life()}
	if a.RefreshToken != "" {
		out.Refresh, out.RefreshLife = secret.New(a.RefreshToken), a.RefreshExpiresIn.life()
	}
	return out, nil
}
