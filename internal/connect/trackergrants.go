package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/pause"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Consent is the OAuth code flow with the app of one connection. Each call sends one request and never
// repeats it.
type Consent interface {
	// AuthorizeURL returns the address at which a person gives consent.
	AuthorizeURL(state, challenge, redirect string) string
	// Exchange trades a code for tokens.
	Exchange(ctx context.Context, code, verifier, redirect string) (Tokens, error)
	// Refresh trades a refresh token for new tokens. [tracker.ClassForbidden] means that the token is
	// worthless, [tracker.ClassAmbiguous] that it may be used up.
	Refresh(ctx context.Context, refresh secret.Secret) (Tokens, error)
	// Revoke ends a token; a refresh token ends everything that came from the consent.
	Revoke(ctx context.Context, token secret.Secret) error
}

// Tokens are a tracker's OAuth tokens.
type Tokens struct {
	Access, Refresh secret.Secret // unset if the tracker gives none
	Expires         time.Duration // life of Access; 0 if the tracker does not state it
}

// ConsentOf returns the code flow of a connection with the secret of its app.
type ConsentOf func(c store.TrackerConnection, clientSecret secret.Secret, client *http.Client) (Consent, error)

// The times of grants (design choices).
const (
	// refreshTime is how long a trade may take. The lease is longer, so that its holder has returned or
	// died when the lease ends.
	refreshTime  = 20 * time.Second
	refreshLease = time.Minute

	// refreshEarly is how long before its end an access token is replaced, so that running work has a valid
	// token.
	refreshEarly = 10 * time.Minute

	// refreshLook is the interval at which a process checks for the next generation from another process,
	// and refreshPatience the total time.
	refreshLook     = 250 * time.Millisecond
	refreshPatience = 15 * time.Second
)

// Authorize returns the address at which a person lets the app of a connection in.
func (h *Trackers) Authorize(ctx context.Context, t domain.Tenant, c store.TrackerConnection, state, challenge,
	redirect string) (string, error) {
	consent, err := h.consent(ctx, t, c)
	if err != nil {
		return "", err
	}
	return consent.AuthorizeURL(state, challenge, redirect), nil
}

// Exchange trades the code of a consent for a sealed grant, which the caller stores in place of the present
// one. Errors are those of [Consent.Exchange].
func (h *Trackers) Exchange(ctx context.Context, t domain.Tenant, c store.TrackerConnection, code, verifier,
	redirect string) (store.TrackerGrant, error) {
	consent, err := h.consent(ctx, t, c)
	if err != nil {
		return store.TrackerGrant{}, err
	}
	before, err := h.Store.TrackerGrant(ctx, t, c.ID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return store.TrackerGrant{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	got, err := consent.Exchange(bounded, code, verifier, redirect)
	if err != nil {
		return store.TrackerGrant{}, err
	}
	return h.seal(ctx, t, c.ID, before.Generation+1, got)
}

// Revoke ends a grant at the tracker, once. Errors are those of [Consent.Revoke].
func (h *Trackers) Revoke(ctx context.Context, t domain.Tenant, c store.TrackerConnection, v store.TrackerGrant) error {
	consent, err := h.consent(ctx, t, c)
	if err != nil {
		return err
	}
	column, sealed := "refresh", v.Refresh
	if sealed == nil || v.Ended != "" { // an ended grant's refresh token may be worthless
		column, sealed = "access", v.Access
	}
	token, err := h.Keyring.OpenSecret(ctx, grantScope(t, c.ID, v.Generation, column), sealed)
	if err != nil {
		return err
	}
	return consent.Revoke(ctx, token)
}

func (h *Trackers) consent(ctx context.Context, t domain.Tenant, c store.TrackerConnection) (Consent, error) {
	open := h.Consents[domain.ConnectionKind(c.Kind)]
	if open == nil || c.AuthKind != "oauth" {
		return nil, errs.New(errs.Conflict, "no_oauth", "This connection does not sign in by OAuth.")
	}
	key, err := h.Keyring.OpenSecret(ctx, secret.Scope{Tenant: t.ID, Table: "tracker_connections", Row: c.ID, Column: "client_secret"},
		c.ClientSecret)
	if err != nil {
		return nil, fmt.Errorf("open the client secret of connection %s: %w", c.ID, err)
	}
	return open(c, key, h.Factory.Client(outbound.Purpose{Name: c.Kind, Tenant: t.ID, KeepRedirects: true, MaxResponseBytes: 1 << 20}))
}

// grantScope returns the scope of a token of a generation.
func grantScope(t domain.Tenant, connection string, generation int64, column string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "tracker_grants", Row: connection + "." + strconv.FormatInt(generation, 10), Column: column}
}

func (h *Trackers) seal(ctx context.Context, t domain.Tenant, connection string, generation int64,
	got Tokens) (v store.TrackerGrant, err error) {
	v = store.TrackerGrant{Generation: generation, Life: got.Expires, Endless: got.Expires == 0}
	if v.Access, err = h.Keyring.SealSecret(ctx, grantScope(t, connection, generation, "access"), got.Access); err != nil ||
		!got.Refresh.IsSet() {
		return v, err
	}
	v.Refresh, err = h.Keyring.SealSecret(ctx, grantScope(t, connection, generation, "refresh"), got.Refresh)
	return v, err
}

// grant supplies the access token of a connection and replaces it in time. Only one process uses a refresh
// token, once; if that process dies, the token counts as used.
type grant struct {
	*Trackers
	tenant     domain.Tenant
	connection store.TrackerConnection

	mu     sync.Mutex // one request at a time looks
	access secret.Secret
	until  time.Time // end of the cached token's use; this process's clock
	rests  time.Time // no trade before this time, as the tracker asked; this process's clock
}

// token returns the present access token.
func (g *grant) token(ctx context.Context) (secret.Secret, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.access.IsSet() && time.Now().Before(g.until) {
		return g.access, nil
	}
	end := time.Now().Add(refreshPatience)
	for {
		v, err := g.Store.TrackerGrant(ctx, g.tenant, g.connection.ID)
		if errs.Is(err, errs.NotFound) {
			return secret.Secret{}, signInAgain("No administrator has signed in to the tracker yet.")
		}
		if err != nil {
			return secret.Secret{}, err
		}
		if isFresh(v) {
			return g.useAccess(ctx, v)
		}
		if wait, err := g.renew(ctx, v); err != nil {
			return secret.Secret{}, err
		} else if !wait {
			continue
		}
		if v.Life > 0 { // another process renews it; the present token is still valid
			return g.useAccess(ctx, v)
		}
		if v.Ended != "" {
			return secret.Secret{}, endedError(v.Ended)
		}
		if v.Refresh == nil {
			return secret.Secret{}, signInAgain("The tracker's sign-in has ended.")
		}
		if !time.Now().Before(end) {
			return secret.Secret{}, &tracker.Error{Class: tracker.ClassUnavailable, Op: "refresh token",
				Message: "the sign-in is being renewed by another process"}
		}
		if err := pause.For(ctx, refreshLook); err != nil {
			return secret.Secret{}, err
		}
	}
}

// isFresh reports whether an access token needs no successor yet.
func isFresh(v store.TrackerGrant) bool { return v.Endless || v.Life > refreshEarly }

// renew trades the refresh token of a generation for the next one, if this process may do so. wait is true
// if another process does it, or it is no longer possible.
func (g *grant) renew(ctx context.Context, v store.TrackerGrant) (wait bool, err error) {
	if v.Lapsed && v.Ended == "" {
		if err := g.Store.LoseTrackerGrant(ctx, g.tenant, g.connection.ID, v.Generation); err != nil {
			return false, err
		}
		return false, g.scheduleCheck(ctx)
	}
	if v.Held || v.Ended != "" || v.Refresh == nil {
		return true, nil
	}
	if rest := time.Until(g.rests); rest > 0 {
		return g.laterResult(v, &tracker.Error{Class: tracker.ClassLimited, Op: "refresh token", RetryAfter: rest,
			Message: "the tracker has asked to wait"})
	}
	refresh, err := g.Keyring.OpenSecret(ctx, grantScope(g.tenant, g.connection.ID, v.Generation, "refresh"), v.Refresh)
	if err != nil {
		return false, err
	}
	consent, err := g.consent(ctx, g.tenant, g.connection)
	if err != nil {
		return false, err
	}
	holder := domain.NewID("hld")
	held, err := g.Store.HoldTrackerGrant(ctx, g.tenant, g.connection.ID, v.Generation, holder, refreshLease)
	if err != nil || !held {
		return false, err // another process was faster: read again
	}
	// From here on, the end of the request must not end the trade, because its outcome must be stored.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshLease)
	defer cancel()
	bounded, stop := context.WithTimeout(ctx, refreshTime)
	defer stop()
	got, err := consent.Refresh(bounded, refresh)
	if err != nil {
		return g.storeFailedRenewal(ctx, v, holder, err)
	}
	next, err := g.seal(ctx, g.tenant, g.connection.ID, v.Generation+1, got)
	if err != nil {
		return false, errors.Join(err, g.Store.FreeTrackerGrant(ctx, g.tenant, g.connection.ID, v.Generation, holder, store.GrantLost))
	}
	_, err = g.Store.RenewTrackerGrant(ctx, g.tenant, g.connection.ID, holder, next)
	return false, err
}

// storeFailedRenewal stores what a failed trade shows about the refresh token. If the token was certainly not used,
// it may be used later, and the access token serves for the rest of its life.
func (g *grant) storeFailedRenewal(ctx context.Context, v store.TrackerGrant, holder string, failed error) (wait bool, err error) {
	ended := ""
	switch tracker.ClassOf(failed) {
	case tracker.ClassLimited, tracker.ClassUnavailable: // not accepted, or not sent
	case tracker.ClassForbidden, tracker.ClassInvalid:
		ended = store.GrantRefused
	default:
		ended = store.GrantLost
	}
	if err := g.Store.FreeTrackerGrant(ctx, g.tenant, g.connection.ID, v.Generation, holder, ended); err != nil {
		return false, err
	}
	if ended != "" {
		return false, g.scheduleCheck(ctx)
	}
	if rest, limited := tracker.Pause(failed); limited {
		g.rests = time.Now().Add(rest)
	}
	return g.laterResult(v, failed)
}

// laterResult returns the result of a trade that may be made later: wait while the access token is valid,
// otherwise the error.
func (g *grant) laterResult(v store.TrackerGrant, why error) (wait bool, err error) {
	if v.Life > 0 {
		return true, nil
	}
	return false, why
}

// scheduleCheck schedules the check of the connection, which informs the administrators.
func (g *grant) scheduleCheck(ctx context.Context) error {
	return g.Store.RequestTrackerCheck(ctx, g.tenant, g.connection.ID)
}

// useAccess returns an access token and caches it for [grantKept].
func (g *grant) useAccess(ctx context.Context, v store.TrackerGrant) (secret.Secret, error) {
	access, err := g.Keyring.OpenSecret(ctx, grantScope(g.tenant, g.connection.ID, v.Generation, "access"), v.Access)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("open the access token of connection %s: %w", g.connection.ID, err)
	}
	g.access, g.until = access, time.Now().Add(grantKept)
	return access, nil
}

// grantKept is how long a process uses an access token before it checks for a newer one (design choice).
const grantKept = 30 * time.Second

func signInAgain(message string) error {
	return &tracker.Error{Class: tracker.ClassForbidden, Op: tracker.OpSignIn, Message: message}
}

// endedError returns the error that explains why a grant cannot be renewed.
func endedError(why string) error {
	if why == store.GrantLost {
		return signInAgain("The answer to the renewal of the sign-in was lost.")
	}
	return signInAgain("The tracker does not renew the sign-in, because it was revoked there. Sign in to the tracker again.")
}
