package github

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// Lifetime of an App's JSON web token. It starts a minute in the past, because clocks differ, and ends
// before GitHub's limit of ten minutes (docs.github.com/apps, "Generating a JSON Web Token (JWT) for a
// GitHub App").
const (
	jwtSkew = time.Minute
	jwtLife = 8 * time.Minute
)

// Least remaining life of a token in use: long enough for a request, or for git to fetch a large
// repository.
const (
	tokenRest = 5 * time.Minute
	cloneRest = 15 * time.Minute
)

// maxTokens is the most cached tokens. Above it, expired entries are dropped first, then arbitrary ones.
const maxTokens = 4096

// scope is the purpose of a token. Each call requests the smallest scope, so that an installation that has
// not accepted a new permission loses only one ability.
type scope string

const (
	scopeRead     scope = "read"
	scopePublish  scope = "publish"
	scopeCheck    scope = "check"
	scopeClone    scope = "clone"
	scopeList     scope = "list"
	scopeActions  scope = "actions"
	scopeStatuses scope = "statuses"
	scopeWrite    scope = "write" // on contents: the App requests it only if its owner allowed it
)

func (s scope) permissions() *gh.InstallationPermissions {
	read, write := gh.Ptr("read"), gh.Ptr("write")
	switch s {
	case scopePublish:
		return &gh.InstallationPermissions{Metadata: read, PullRequests: write}
	case scopeCheck:
		return &gh.InstallationPermissions{Metadata: read, Checks: write}
	case scopeClone:
		return &gh.InstallationPermissions{Metadata: read, Contents: read}
	case scopeActions:
		return &gh.InstallationPermissions{Metadata: read, Actions: read}
	case scopeStatuses:
		return &gh.InstallationPermissions{Metadata: read, Statuses: read}
	case scopeWrite:
		return &gh.InstallationPermissions{Metadata: read, Contents: write}
	case scopeMembers:
		return &gh.InstallationPermissions{Metadata: read, Members: read}
	case scopeList:
		return &gh.InstallationPermissions{Metadata: read}
	default:
		return &gh.InstallationPermissions{Metadata: read, Contents: read, PullRequests: read}
	}
}

type tokenKey struct {
	installation domain.HostID
	scope        scope
	repository   domain.HostID // "": all repositories of the installation
}

type tokenEntry struct {
	lock    lock // held during the request, so that one request serves all waiters
	value   secret.Secret
	expires time.Time
}

// tokenCache keeps installation tokens in memory until shortly before they expire.
type tokenCache struct {
	mu      sync.Mutex
	entries map[tokenKey]*tokenEntry
}

// entry returns the entry of the key, and makes room for a new one.
func (t *tokenCache) entry(k tokenKey, now time.Time) *tokenEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[k]; ok {
		return e
	}
	if len(t.entries) >= maxTokens {
		for k, e := range t.entries {
			select {
			case e.lock <- struct{}{}:
				expired := !e.expires.After(now)
				e.lock.release()
				if expired {
					delete(t.entries, k)
				}
			default: // requested just now
			}
		}
	}
	for k := range t.entries {
		if len(t.entries) < maxTokens {
			break
		}
		delete(t.entries, k)
	}
	e := &tokenEntry{lock: newLock()}
	t.entries[k] = e
	return e
}

// drop removes a token that GitHub refused.
func (t *tokenCache) drop(k tokenKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.entries, k)
}

// appToken signs a fresh App token.
func (h *Host) appToken() (string, error) {
	now := h.now().Truncate(time.Second) // GitHub accepts whole seconds only
	return jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		IssuedAt:  jwt.NewNumericDate(now.Add(-jwtSkew)),
		ExpiresAt: jwt.NewNumericDate(now.Add(jwtLife)),
		Issuer:    strconv.FormatInt(h.appID, 10),
	}).SignedString(h.key)
}

// appCall returns a call that the App makes as itself.
func (h *Host) appCall(op string) *wire.Call {
	return &wire.Call{Op: op, Key: h.appKey(), AsApp: true, Authorize: func(context.Context) (string, error) {
		t, err := h.appToken()
		return "Bearer " + t, err
	}}
}

// installationCall returns a read of an installation.
func (h *Host) installationCall(op string, installation domain.HostID, s scope) *wire.Call {
	k := tokenKey{installation: installation, scope: s}
	return &wire.Call{Op: op, Key: h.installationKey(installation), Installation: installation,
		Authorize: func(ctx context.Context) (string, error) {
			t, _, err := h.installationToken(ctx, k, tokenRest)
			return "Bearer " + t.Reveal(), err
		},
		Refused: func() { h.tokens.drop(k) },
	}
}

// rawCall returns a read of an installation whose answer is not decoded.
func (h *Host) rawCall(op string, installation domain.HostID) *wire.Call {
	c := h.installationCall(op, installation, scopeRead)
	c.Raw = true
	return c
}

// writeCall returns a write of an installation: the gate counts it, and a lost answer is ambiguous.
func (h *Host) writeCall(op string, installation domain.HostID, s scope) *wire.Call {
	c := h.installationCall(op, installation, s)
	c.Write, c.Effect = true, true
	return c
}

// installationToken returns a token that lives for at least rest, from the cache or from GitHub. Concurrent
// callers share one request.
func (h *Host) installationToken(ctx context.Context, k tokenKey, rest time.Duration) (secret.Secret, time.Time, error) {
	const op = "installation token"
	installation, err := number(op, "installation", k.installation)
	if err != nil {
		return secret.Secret{}, time.Time{}, err
	}
	opts := &gh.InstallationTokenOptions{Permissions: k.scope.permissions()}
	if k.repository != "" {
		only, err := number(op, "repository", k.repository)
		if err != nil {
			return secret.Secret{}, time.Time{}, err
		}
		opts.RepositoryIDs = []int64{only}
	}
	e := h.tokens.entry(k, h.now())
	if err := e.lock.acquire(ctx); err != nil {
		return secret.Secret{}, time.Time{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Cause: err}
	}
	defer e.lock.release()
	if e.value.IsSet() && h.now().Add(rest).Before(e.expires) {
		return e.value, e.expires, nil
	}
	var token *gh.InstallationToken
	// Not ambiguous: an unread token simply expires.
	asked := h.appCall(op)
	asked.Installation = k.installation
	err = h.run(ctx, asked, func(ctx context.Context) (err error) {
		token, _, err = h.client.Apps.CreateInstallationToken(ctx, installation, opts)
		return err
	})
	if ce, ok := err.(*codehost.Error); ok && ce.Status == http.StatusUnprocessableEntity {
		// The installation has not granted a permission or repository.
		denied := *ce
		denied.Class = codehost.ClassForbidden
		err = &denied
	}
	if err != nil {
		return secret.Secret{}, time.Time{}, err
	}
	if token.GetToken() == "" {
		return secret.Secret{}, time.Time{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer holds no token"}
	}
	e.value, e.expires = secret.New(token.GetToken()), token.GetExpiresAt().Time
	return e.value, e.expires, nil
}
