package bitbucketcloud

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"sync"
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

// credential authorises requests. The username of the connection tells which it is:
//
//	ann@example.org   an API token of that account: Basic
//	none              an access token of a workspace, a project or a repository: Bearer
//	any other         the key of an OAuth consumer, whose secret is the token: Bearer with a token that the host gives for them
type credential struct {
	user   string // for git
	bearer bool
	value  string        // header of a token that does not change; "" for a consumer
	secret secret.Secret // password for git; not set for a consumer
	fetch  func(context.Context) (token secret.Secret, life time.Duration, err error)
	store  TokenStore

	mu      sync.Mutex // one request at a time asks for a token
	current secret.Secret
	until   time.Time // end of its use
}

// newCredential reads the credential of a configuration. Its errors never have the token.
func newCredential(h *Host, cfg Config) (*credential, error) {
	token := cfg.Token.Reveal()
	switch {
	case strings.HasPrefix(token, appPassword):
		return nil, errors.New("bitbucket-cloud: Token is an app password, which Bitbucket does not accept any more: " +
			"make an API token, and give the email address of its account")
	case strings.ContainsAny(cfg.Username, ":\r\n"):
		return nil, errors.New("bitbucket-cloud: Username must have no colon and no line break")
	case cfg.Username == "":
		return &credential{user: gitUserBearer, bearer: true, value: "Bearer " + token, secret: cfg.Token}, nil
	case strings.Contains(cfg.Username, "@"):
		return &credential{user: gitUserToken, value: basic(cfg.Username, token), secret: cfg.Token}, nil
	}
	c := &credential{user: gitUserBearer, bearer: true, store: cfg.Tokens}
	c.fetch = func(ctx context.Context) (secret.Secret, time.Duration, error) {
		return h.consumerToken(ctx, basic(cfg.Username, token))
	}
	return c, nil
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// header returns the value of the header Authorization.
func (c *credential) header(ctx context.Context) (string, error) {
	if c.value != "" {
		return c.value, nil
	}
	token, err := c.token(ctx)
	if err != nil {
		return "", err
	}
	return "Bearer " + token.Reveal(), nil
}

// password returns the password for git.
func (c *credential) password(ctx context.Context) (secret.Secret, error) {
	if c.value != "" {
		return c.secret, nil
	}
	return c.token(ctx)
}

// token returns an access token of the consumer that is valid for some minutes.
func (c *credential) token(ctx context.Context) (secret.Secret, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current.IsSet() && time.Now().Before(c.until) {
		return c.current, nil
	}
	token, life, err := c.newest(ctx)
	if err != nil {
		return secret.Secret{}, err
	}
	c.current, c.until = token, time.Now().Add(life)
	return token, nil
}

// newest returns the present access token and how long this process may use it before it asks again.
func (c *credential) newest(ctx context.Context) (secret.Secret, time.Duration, error) {
	if c.store == nil {
		token, life, err := c.fetch(ctx)
		return token, life - tokenSpare, err
	}
	token, life, err := c.store.Token(ctx, c.fetch)
	return token, min(life-tokenSpare, tokenKept), err
}

const (
	// tokenSpare is the part of an access token's life in which it is not used, so that a clone that begins with it ends in time. The
	// tokens live two hours (developer.atlassian.com/cloud/bitbucket/oauth-2, "Refresh tokens").
	tokenSpare = 10 * time.Minute

	// tokenKept is how long a process uses a token before it asks the store again (design choice).
	tokenKept = time.Minute
)

// TokenStore keeps the access token of an OAuth consumer, so that all processes use one and one process at a time renews it. Token
// returns the present token and the rest of its life. If none is left with more than ten minutes, it calls fetch once and keeps the
// result.
type TokenStore interface {
	Token(ctx context.Context, fetch func(context.Context) (secret.Secret, time.Duration, error)) (secret.Secret, time.Duration, error)
}

// consumerToken asks for an access token of an OAuth consumer by the client-credentials grant, which gives the rights of the consumer's
// owner (developer.atlassian.com/cloud/bitbucket/oauth-2). Asking again makes another token and ends none.
func (h *Host) consumerToken(ctx context.Context, authorization string) (secret.Secret, time.Duration, error) {
	c := h.instance.Read("get access token")
	c.Authorize = func(context.Context) (string, error) { return authorization, nil }
	body, _, err := wire.Do(ctx, c, h.instance.Client, wire.Request{Method: http.MethodPost, Address: h.instance.Base + "/site/oauth2/access_token",
		Type: "application/x-www-form-urlencoded", Body: []byte("grant_type=client_credentials")}, wire.UserAgent)
	// RFC 6749, 5.2: a wrong key or secret is invalid_client, with 400 or 401.
	if e, ok := err.(*codehost.Error); ok && e.Class == codehost.ClassInvalid {
		refused := *e
		refused.Class, refused.Status = codehost.ClassForbidden, http.StatusUnauthorized
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
