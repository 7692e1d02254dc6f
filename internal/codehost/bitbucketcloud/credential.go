package bitbucketcloud

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/secret"
)

// Names of the user for git over HTTPS (support.atlassian.com/bitbucket-cloud/docs/using-api-tokens and …/using-access-tokens).
const (
	gitUserToken  = "x-bitbucket-api-token-auth"
	gitUserBearer = "x-token-auth"
)

// appPassword begins every app password. Atlassian ended them in the summer of 2026 (RooCodeInc/Roomote#182, apache/devlake#8604).
const appPassword = "ATBB"

// credential authorises requests. The username of the connection selects its kind:
//
//	ann@example.org   an API token of that account: Basic
//	none              an access token of a workspace, a project or a repository: Bearer
//	any other         the key of an OAuth consumer, whose secret is the token: Bearer with a token that the host gives for them
type credential struct {
	user   string // for git
	bearer bool
	value  func() string     // returns the header of a token that does not change; nil for a consumer
	secret secret.Secret     // password for git; not set for a consumer
	tokens *wire.TokenSource // of a consumer; nil otherwise
}

// newCredential reads the credential of a configuration. Its errors never have the token. Every request with an app password fails before
// it is sent.
func newCredential(h *Host, cfg Config) (*credential, error) {
	switch {
	case strings.HasPrefix(cfg.Token.Reveal(), appPassword):
		return &credential{tokens: wire.NewTokenSource(0, func(context.Context) (secret.Secret, time.Duration, error) {
			return secret.Secret{}, 0, &codehost.Error{Class: codehost.ClassForbidden, Op: "sign in", Status: http.StatusUnauthorized,
				Message: "this is an app password, which Bitbucket does not accept any more: make an API token, and give the email address " +
					"of its account as the user name"}
		})}, nil
	case strings.ContainsAny(cfg.Username, ":\r\n"):
		return nil, errors.New("bitbucket-cloud: Username must have no colon and no line break")
	case cfg.Username == "":
		return &credential{user: gitUserBearer, bearer: true, secret: cfg.Token,
			value: func() string { return "Bearer " + cfg.Token.Reveal() }}, nil
	case strings.Contains(cfg.Username, "@"):
		return &credential{user: gitUserToken, value: func() string { return basic(cfg.Username, cfg.Token) }, secret: cfg.Token}, nil
	}
	return &credential{user: gitUserBearer, bearer: true,
		tokens: wire.NewTokenSource(tokenSpare, func(ctx context.Context) (secret.Secret, time.Duration, error) {
			return h.consumerToken(ctx, func(context.Context) (string, error) { return basic(cfg.Username, cfg.Token), nil })
		})}, nil
}

func basic(user string, password secret.Secret) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password.Reveal()))
}

// attach makes a call send the credential.
func (c *credential) attach(call *wire.Call) {
	if c.tokens != nil {
		c.tokens.Attach(call)
		return
	}
	call.Authorize = func(context.Context) (string, error) { return c.value(), nil }
}

// password returns the password for git.
func (c *credential) password(ctx context.Context) (secret.Secret, error) {
	if c.tokens != nil {
		return c.tokens.Get(ctx)
	}
	return c.secret, nil
}

// tokenSpare is the part of an access token's life in which it is not used, so that a clone that begins with it ends in time. The tokens
// live two hours (developer.atlassian.com/cloud/bitbucket/oauth-2).
const tokenSpare = 10 * time.Minute

// consumerToken asks for an access token of an OAuth consumer by the client-credentials grant, which gives the rights of the consumer's
// owner (developer.atlassian.com/cloud/bitbucket/oauth-2). Asking again makes another token and ends no earlier one.
func (h *Host) consumerToken(ctx context.Context, authorize func(context.Context) (string, error)) (secret.Secret, time.Duration, error) {
	c := h.client.Read("get access token")
	c.Key += "|sign-in"
	c.Authorize = authorize
	grant := wire.Request{Method: http.MethodPost, Address: h.client.Base + "/site/oauth2/access_token",
		Type: "application/x-www-form-urlencoded", Body: []byte("grant_type=client_credentials")}
	body, _, err := wire.Do(ctx, c, h.client.Client, grant, wire.UserAgent)
	// RFC 6749, 5.2: a wrong key or secret is invalid_client, with 400 or 401.
	if e, ok := err.(*codehost.Error); ok && (e.Class == codehost.ClassInvalid || e.Class == codehost.ClassForbidden) {
		refused := *e
		refused.Class, refused.Status = codehost.ClassForbidden, http.StatusUnauthorized
		refused.Message = wire.Words("Bitbucket refuses the OAuth consumer: check its key (username) and its secret (token). It says: "+
			e.Message, wire.MaxMessage)
		return secret.Secret{}, 0, &refused
	}
	if err != nil {
		return secret.Secret{}, 0, err
	}
	var got struct {
		Token string `json:"access_token"`
		Life  int64  `json:"expires_in"`
	}
	if err := wire.Decode(c, body, &got); err != nil {
		return secret.Secret{}, 0, err
	}
	if got.Token == "" || strings.ContainsAny(got.Token, " \r\n\t") || got.Life <= 0 {
		return secret.Secret{}, 0, wire.Unexpected(c, "the answer has no access token, or no life of it")
	}
	return secret.New(got.Token), time.Duration(min(got.Life, 24*60*60)) * time.Second, nil
}
