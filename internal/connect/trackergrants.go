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

// Consent is the code flow of OAuth with the app of one connection. It sends one
// request a call, and never one again.
type Consent interface {
	// AuthorizeURL is where a person is sent to agree.
	AuthorizeURL(state, challenge, redirect string) string
	// Exchange trades a code for tokens.
	Exchange(ctx context.Context, code, verifier, redirect string) (Tokens, error)
	// Refresh trades a refresh token for new tokens. [tracker.ClassForbidden]: it is
	// worth nothing any more. [tracker.ClassAmbiguous]: it may be used up.
	Refresh(ctx context.Context, refresh secret.Secret) (Tokens, error)
	// Revoke ends a token, and with a refresh token all that came of the consent.
	Revoke(ctx context.Context, token secret.Secret) error
}

// Tokens are what a tracker gives by OAuth.
type Tokens struct {
	Access, Refresh secret.Secret // Refresh is unset where the tracker gives none
	Expires         time.Duration // how long Access lives; 0 where the tracker does not say
}

// ConsentOf makes the code flow of a connection with the secret of its app.
type ConsentOf func(c store.TrackerConnection, clientSecret secret.Secret, client *http.Client) (Consent, error)

// Times of grants (design choices).
const (
	// refreshTime is how long a trade may take; the lease is longer, so that who holds it
	// has come back, or died, when it ends.
	refreshTime  = 20 * time.Second
	refreshLease = time.Minute

	// refreshEarly is how long before its end an access token is replaced, so that what
	// runs has a token that lives.
	refreshEarly = 10 * time.Minute

	// refreshLook is how often it is looked whether another process has the next
	// generation, and refreshPatience for how long.
	refreshLook     = 250 * time.Millisecond
	refreshPatience = 15 * time.Second
)

// Authorize is where a person is sent to let the app of a connection in.
func (h *Trackers) Authorize(ctx context.Context, t domain.Tenant, c store.TrackerConnection, state, challenge, redirect string) (string, error) {
	consent, err := h.consent(ctx, t, c)
	if err != nil {
		return "", err
	}
	return consent.AuthorizeURL(state, challenge, redirect), nil
}

// Exchange trades the code of a consent for a grant, sealed as it is to be stored in
// place of the one that there is. Errors are those of [Consent.Exchange].
func (h *Trackers) Exchange(ctx context.Context, t domain.Tenant, c store.TrackerConnection, code, verifier, redirect string) (store.TrackerGrant, error) {
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
	if sealed == nil || v.Ended != "" { // it may be worth nothing any more
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
	key, err := h.Keyring.OpenSecret(ctx, secret.Scope{Tenant: t.ID, Table: "tracker_connections", Row: c.ID, Column: "client_secret"}, c.ClientSecret)
	if err != nil {
		return nil, fmt.Errorf("open the client secret of connection %s: %w", c.ID, err)
	}
	return open(c, key, h.Factory.Client(outbound.Purpose{Name: c.Kind, Tenant: t.ID, KeepRedirects: true, MaxResponseBytes: 1 << 20}))
}

// grantScope is where a token of a generation belongs.
func grantScope(t domain.Tenant, connection string, generation int64, column string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "tracker_grants", Row: connection + "." + strconv.FormatInt(generation, 10), Column: column}
}

func (h *Trackers) seal(ctx context.Context, t domain.Tenant, connection string, generation int64, got Tokens) (v store.TrackerGrant, err error) {
	v = store.TrackerGrant{Generation: generation, Life: got.Expires, Endless: got.Expires == 0}
	if v.Access, err = h.Keyring.SealSecret(ctx, grantScope(t, connection, generation, "access"), got.Access); err != nil || !got.Refresh.IsSet() {
		return v, err
	}
	v.Refresh, err = h.Keyring.SealSecret(ctx, grantScope(t, connection, generation, "refresh"), got.Refresh)
	return v, err
}

// grant hands out the access token of a connection, and replaces it in time. Of all
// processes one uses a refresh token, once: who dies with it has used it up.
type grant struct {
	*Trackers
	tenant     domain.Tenant
	connection store.TrackerConnection

	mu     sync.Mutex // one request at a time looks
	access secret.Secret
	until  time.Time // what is kept counts as long; of this process's clock
	rests  time.Time // the tracker wants no trade before; of this process's clock
}

// token is the access token to use now.
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
		if lasts(v) {
			return g.use(ctx, v)
		}
		if wait, err := g.renew(ctx, v); err != nil {
			return secret.Secret{}, err
		} else if !wait {
			continue
		}
		if v.Life > 0 { // somebody else gets the next one; this one lives
			return g.use(ctx, v)
		}
		if v.Ended != "" {
			return secret.Secret{}, ended(v.Ended)
		}
		if v.Refresh == nil {
			return secret.Secret{}, signInAgain("The tracker's sign-in has ended.")
		}
		if !time.Now().Before(end) {
			return secret.Secret{}, &tracker.Error{Class: tracker.ClassUnavailable, Op: "refresh token", Message: "the sign-in is being renewed by another process"}
		}
		if err := pause.For(ctx, refreshLook); err != nil {
			return secret.Secret{}, err
		}
	}
}

// lasts reports whether an access token needs no successor yet.
func lasts(v store.TrackerGrant) bool { return v.Endless || v.Life > refreshEarly }

// renew trades the refresh token of a generation for the next one, where that is
// ours to do. wait: it is not, or cannot be done any more.
func (g *grant) renew(ctx context.Context, v store.TrackerGrant) (wait bool, err error) {
	if v.Lapsed && v.Ended == "" {
		if err := g.Store.LoseTrackerGrant(ctx, g.tenant, g.connection.ID, v.Generation); err != nil {
			return false, err
		}
		return false, g.tell(ctx)
	}
	if v.Held || v.Ended != "" || v.Refresh == nil {
		return true, nil
	}
	if rest := time.Until(g.rests); rest > 0 {
		return g.later(v, &tracker.Error{Class: tracker.ClassLimited, Op: "refresh token", RetryAfter: rest, Message: "the tracker has asked to wait"})
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
		return false, err // another process was faster: look again
	}
	// From here on nothing that ends the request ends the trade: its outcome has to be kept.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshLease)
	defer cancel()
	bounded, stop := context.WithTimeout(ctx, refreshTime)
	defer stop()
	got, err := consent.Refresh(bounded, refresh)
	if err != nil {
		return g.notRenewed(ctx, v, holder, err)
	}
	next, err := g.seal(ctx, g.tenant, g.connection.ID, v.Generation+1, got)
	if err != nil {
		return false, errors.Join(err, g.Store.FreeTrackerGrant(ctx, g.tenant, g.connection.ID, v.Generation, holder, store.GrantLost))
	}
	_, err = g.Store.RenewTrackerGrant(ctx, g.tenant, g.connection.ID, holder, next)
	return false, err
}

// notRenewed keeps what a trade that failed says of the refresh token. Where it was
// surely not used up it may be used later, and the access token serves as long as it
// lives.
func (g *grant) notRenewed(ctx context.Context, v store.TrackerGrant, holder string, failed error) (wait bool, err error) {
	ended := ""
	switch tracker.ClassOf(failed) {
	case tracker.ClassLimited, tracker.ClassUnavailable: // not taken, or not sent
	case tracker.ClassForbidden, tracker.ClassInvalid:
		ended = store.GrantRefused
	default:
		ended = store.GrantLost
	}
	if err := g.Store.FreeTrackerGrant(ctx, g.tenant, g.connection.ID, v.Generation, holder, ended); err != nil {
		return false, err
	}
	if ended != "" {
		return false, g.tell(ctx)
	}
	if rest, limited := tracker.Pause(failed); limited {
		g.rests = time.Now().Add(rest)
	}
	return g.later(v, failed)
}

// later is what comes of a trade that may be made later: the access token serves as long
// as it lives.
func (g *grant) later(v store.TrackerGrant, why error) (wait bool, err error) {
	if v.Life > 0 {
		return true, nil
	}
	return false, why
}

// tell has the job look at the connection that tells the administrators.
func (g *grant) tell(ctx context.Context) error {
	return g.Store.CheckTrackerSoon(ctx, g.tenant, g.connection.ID)
}

// use hands out an access token, and keeps it for a while.
func (g *grant) use(ctx context.Context, v store.TrackerGrant) (secret.Secret, error) {
	access, err := g.Keyring.OpenSecret(ctx, grantScope(g.tenant, g.connection.ID, v.Generation, "access"), v.Access)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("open the access token of connection %s: %w", g.connection.ID, err)
	}
	g.access, g.until = access, time.Now().Add(grantKept)
	return access, nil
}

// grantKept is how long a process uses an access token without looking whether
// there is another one (design choice).
const grantKept = 30 * time.Second

func signInAgain(message string) error {
	return &tracker.Error{Class: tracker.ClassForbidden, Op: tracker.OpSignIn, Message: message}
}

// ended says why a grant cannot be renewed.
func ended(why string) error {
	if why == store.GrantLost {
		return signInAgain("The answer to the renewal of the sign-in was lost.")
	}
	return signInAgain("The tracker does not renew the sign-in, because it was revoked there. Sign in to the tracker again.")
}
