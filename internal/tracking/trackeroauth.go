package tracking

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// TrackerCallback is the path of this service to which Linear sends browsers back. It is entered at the app
// there.
const TrackerCallback = "/auth/trackers/tracker-b/callback"

// maxCode bounds the code of a consent, in bytes (design choice).
const maxCode = 2048

// oauthTracker returns a connection with OAuth. Errors: NotFound; Invalid for a connection without OAuth;
// Conflict for a kind that is not built.
func (s *Service) oauthTracker(ctx context.Context, t domain.Tenant, id string) (store.TrackerConnection, error) {
	row, err := s.Store.TrackerConnection(ctx, t, id)
	if err != nil {
		return row, err
	}
	var c field.Check
	c.That(row.AuthKind == authOAuth, "/auth/kind", "must be oauth: this connection signs in with a token")
	if err := c.Err(); err != nil {
		return row, err
	}
	if !s.trackerBuilt(row.Kind) {
		return row, unbuiltKind()
	}
	return row, nil
}

// trackerRedirect returns the address to which the tracker sends browsers back.
func (s *Service) trackerRedirect() string {
	origin := s.BaseURL
	if s.Base != nil {
		origin = s.Base()
	}
	return strings.TrimRight(origin, "/") + TrackerCallback
}

// MayBeginTrackerOAuth returns the error of [Service.BeginTrackerOAuth] for a missing connection or one
// without OAuth, before anything is stored for it.
func (s *Service) MayBeginTrackerOAuth(ctx context.Context, t domain.Tenant, id string) error {
	_, err := s.oauthTracker(ctx, t, id)
	return err
}

// BeginTrackerOAuth returns the address at which a person lets the app of a connection in. The tracker
// sends state back. challenge belongs to a PKCE verifier that only [Service.EndTrackerOAuth] gets. It
// returns an error if the connection does not use OAuth.
func (s *Service) BeginTrackerOAuth(ctx context.Context, t domain.Tenant, id, state, challenge string) (url string, err error) {
	row, err := s.oauthTracker(ctx, t, id)
	if err != nil {
		return "", err
	}
	if url, err = s.Issues.Authorize(ctx, t, row, state, challenge, s.trackerRedirect()); err != nil {
		return "", err
	}
	return url, s.Audit.Do(ctx, func(context.Context) (audit.Act, error) {
		return audit.Act{Tenant: t, Action: "tracker-connection.oauth-start", Target: s.trackerOfRow(row).target()}, nil
	})
}

// EndTrackerOAuth trades the code of a consent for tokens, stores them sealed, and asks the tracker with
// them. It sends the code once, whatever the outcome. Errors contain advice for the person.
func (s *Service) EndTrackerOAuth(ctx context.Context, t domain.Tenant, id, code, verifier string) error {
	row, err := s.oauthTracker(ctx, t, id)
	if err != nil {
		return err
	}
	if code == "" || len(code) > maxCode {
		return notConsented()
	}
	got, err := s.Issues.Exchange(ctx, t, row, code, verifier, s.trackerRedirect())
	if err != nil {
		return s.notExchanged(ctx, t, row, err)
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		signed, err := s.Store.TrackerSignedIn(ctx, t, id, row.Version)
		if errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		if err != nil {
			return audit.Act{}, err
		}
		kept, err := s.Store.PutTrackerGrant(ctx, t, id, got)
		if err == nil && !kept {
			err = errs.Changed()
		}
		row = signed
		return audit.Act{Tenant: t, Action: "tracker-connection.oauth", Target: s.trackerOfRow(row).target()}, err
	})
	if err != nil {
		return err
	}
	row, asked, err := s.tryTracker(ctx, t, id)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error { return s.storeTrackerAnswer(ctx, t, row, asked) })
}

// NotConsented records that a person came back from the tracker without a consent, and returns the error to
// show.
func (s *Service) NotConsented(ctx context.Context, t domain.Tenant, id string) error {
	row, err := s.oauthTracker(ctx, t, id)
	if err != nil {
		return err
	}
	return s.notExchanged(ctx, t, row, notConsented())
}

func (s *Service) notExchanged(ctx context.Context, t domain.Tenant, row store.TrackerConnection, failed error) error {
	err := s.Audit.Do(ctx, func(context.Context) (audit.Act, error) {
		return audit.Act{Tenant: t, Action: "tracker-connection.oauth", Target: s.trackerOfRow(row).target(), Result: audit.Failed,
			Note: "The tracker gave nothing."}, nil
	})
	if err != nil {
		return err
	}
	if tracker.ClassOf(failed) == "" {
		return failed
	}
	a := trackerAnswer{failed: failed, words: trackerWords(failed, secret.Secret{}), oauth: true}
	if a.refusal() != nil {
		return errs.Wrap(failed, errs.Conflict, "oauth_refused", "%s",
			strings.TrimSuffix("The tracker does not take the app, or what it has sent: see that the client id and the client secret are "+
				"those of the app, and begin again. "+a.quote(), " "))
	}
	return errs.Wrap(failed, errs.Unavailable, "tracker_unavailable", "The tracker could not be asked. Begin again. %s", a.quote())
}

func notConsented() error {
	return errs.New(errs.Malformed, "no_consent", "The tracker has sent no consent. Begin again, and agree there.")
}
