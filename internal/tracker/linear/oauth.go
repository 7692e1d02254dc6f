package linear

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// scopes are the rights that an app requests. Linear has no narrower scope for comments, their edits and
// attachments than write.
const scopes = "read,write"

// OAuthConfig configures an [OAuth].
type OAuthConfig struct {
	BaseURL      string       // as in the connection
	Client       *http.Client // guarded; from internal/outbound
	ClientID     string
	ClientSecret secret.Secret
}

// OAuth is the code flow of an app that a workspace has registered
// (linear.app/developers/oauth-2-0-authentication), with PKCE, access tokens that live a day, and rotating
// refresh tokens. It is safe for concurrent use, stores nothing and does not retry.
type OAuth struct {
	cfg   OAuthConfig
	pages string // address of the web pages
	api   string
	send  *wire.Sender
}

// Tokens is the tracker's answer to a code or a refresh token. A new refresh token makes the previous one
// invalid.
type Tokens struct {
	Access, Refresh secret.Secret // Refresh is unset if the tracker gives none
	Expires         time.Duration // life of Access; 0 if the tracker does not report it
	Scope           []string
}

// NewOAuth checks the configuration. It sends nothing.
func NewOAuth(cfg OAuthConfig) (*OAuth, error) {
	if cfg.Client == nil || cfg.ClientID == "" || !cfg.ClientSecret.IsSet() {
		return nil, errors.New("linear: Client, ClientID and ClientSecret are needed")
	}
	base, err := wire.Base(cfg.BaseURL)
	if err != nil {
		return nil, errors.New("linear: " + err.Error())
	}
	none := func(context.Context) (string, error) { return "", nil }
	return &OAuth{cfg: cfg, pages: base.String(), api: apiBase(base), send: wire.NewSender(cfg.Client, none, judgeToken)}, nil
}

// AuthorizeURL returns the address where a person agrees. state comes back with the code. challenge is the
// S256 challenge of a verifier (RFC 7636, section 4.2).
func (o *OAuth) AuthorizeURL(state, challenge, redirect string) string {
	q := url.Values{"client_id": {o.cfg.ClientID}, "redirect_uri": {redirect}, "response_type": {"code"}, "scope": {scopes}, "state": {state},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}, "prompt": {"consent"}, "actor": {"app"}}
	return o.pages + "/oauth/authorize?" + q.Encode()
}

// Exchange trades a code for tokens. It fails with [tracker.ClassForbidden] if the code is invalid or
// expired, or the app's credentials are refused.
func (o *OAuth) Exchange(ctx context.Context, code, verifier, redirect string) (Tokens, error) {
	return o.token(ctx, "exchange code", url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect},
		"code_verifier": {verifier}})
}

// Refresh trades a refresh token for new tokens. It fails with [tracker.ClassForbidden] if the token was
// revoked. After [tracker.ClassAmbiguous] the token may be used up and the new one lost.
func (o *OAuth) Refresh(ctx context.Context, refresh secret.Secret) (Tokens, error) {
	return o.token(ctx, "refresh token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}})
}

// Revoke ends a token. An invalid token is not an error.
func (o *OAuth) Revoke(ctx context.Context, token secret.Secret) error {
	c := o.call("revoke token", "/oauth/revoke", url.Values{"token": {token.Reveal()}})
	_, err := o.send.Do(ctx, c)
	if class := tracker.ClassOf(err); class == tracker.ClassForbidden || class == tracker.ClassInvalid {
		return nil
	}
	return err
}

func (o *OAuth) call(op, path string, form url.Values) wire.Call {
	form.Set("client_id", o.cfg.ClientID)
	form.Set("client_secret", o.cfg.ClientSecret.Reveal())
	return wire.Call{Op: op, Method: http.MethodPost, URL: o.api + path, Body: []byte(form.Encode()),
		Content: "application/x-www-form-urlencoded", Effect: true}
}

// tokenForm matches a bearer token (RFC 6750, section 2.1).
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

// maxToken is the most bytes of a token (design choice).
const maxToken = 4096

func isToken(s string) bool { return len(s) <= maxToken && tokenForm.MatchString(s) }

// maxLife is the longest life of a token that we accept.
const maxLife = 10 * 365 * 24 * time.Hour

func (o *OAuth) token(ctx context.Context, op string, form url.Values) (Tokens, error) {
	c := o.call(op, "/oauth/token", form)
	a, err := o.send.Do(ctx, c)
	if err != nil {
		return Tokens{}, err
	}
	var in struct {
		Access  string          `json:"access_token"`
		Refresh string          `json:"refresh_token"`
		Type    string          `json:"token_type"`
		Expires int64           `json:"expires_in"`
		Scope   json.RawMessage `json:"scope"`
	}
	if err := wire.Decode(c, a, &in); err != nil {
		return Tokens{}, err
	}
	if !strings.EqualFold(in.Type, "bearer") || !isToken(in.Access) || in.Refresh != "" && !isToken(in.Refresh) {
		return Tokens{}, &tracker.Error{Class: tracker.ClassAmbiguous, Op: op, Status: a.Status, Message: "the answer has no bearer token"}
	}
	life := time.Duration(min(max(in.Expires, 0), int64(maxLife/time.Second))) * time.Second
	return Tokens{Access: secret.New(in.Access), Refresh: secret.New(in.Refresh), Expires: life, Scope: scopesOf(in.Scope)}, nil
}

// scopesOf reads the scopes of an answer. The documentation has shown two forms: one text with spaces or
// commas, and a list.
func scopesOf(raw json.RawMessage) []string {
	var list []string
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		list = strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	case json.Unmarshal(raw, &list) != nil:
		return nil
	}
	out := []string{}
	for _, s := range list[:min(len(list), 50)] {
		out = append(out, wire.Word(s))
	}
	return out
}

// judgeToken implements [wire.Judge] for refusals of the token endpoint (RFC 6749, section 5.2). It keeps
// only the error's code, because the tracker's text may repeat the request.
func judgeToken(_ wire.Call, a wire.Answer, err *tracker.Error) *tracker.Error {
	if err == nil || a.Status < 400 {
		return err
	}
	var r struct {
		Error string `json:"error"`
	}
	err.Message = "the token endpoint refused"
	if json.Unmarshal(a.Body, &r) == nil && wire.WordForm.MatchString(r.Error) {
		err.Message = r.Error
	}
	switch r.Error {
	case "invalid_grant", "invalid_client", "unauthorized_client", "access_denied":
		err.Class = tracker.ClassForbidden
	}
	return err
}
