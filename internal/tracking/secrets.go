package tracking

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// SecretOverlap is how long the webhook secret before the newest one still
// verifies deliveries, so that nothing is lost while it is entered at the host.
const SecretOverlap = 24 * time.Hour

// WebhookSecret is the answer that shows a new webhook secret, the only one that does.
type WebhookSecret struct {
	Secret             string     `json:"secret" doc:"To enter at the host; it is not shown again"`
	WebhookURL         string     `json:"webhookUrl" doc:"To enter at the host"`
	PreviousValidUntil *time.Time `json:"previousValidUntil,omitempty" doc:"Deliveries signed with the previous secret are accepted until then; absent without a previous secret"`
}

// newWebhookSecret makes a secret in the form that a host wants. GitLab's
// signing token is "whsec_" with 32 bytes in base 64 (gitlab.com/gitlab-org/gitlab
// merge request 231325), which is as good a secret token. Everywhere else any
// text will do (Atlassian support, manage webhooks; Gitea and Forgejo,
// services/webhook; Azure DevOps, basicAuthPassword of a service hook): a token
// of ours, 44 letters, digits and underscores, shorter than any host's limit.
func newWebhookSecret(kind domain.ConnectionKind) secret.Secret {
	if kind != domain.GitLab {
		return secret.NewToken(secret.Webhook)
	}
	var key [32]byte
	_, _ = rand.Read(key[:]) // never returns an error (package documentation of crypto/rand)
	return secret.New(secret.SigningPrefix + base64.StdEncoding.EncodeToString(key[:]))
}

// sealedSecret is a webhook secret under the id for which it was sealed.
type sealedSecret struct {
	id     string
	sealed []byte // nil: there is none
}

func (s *Service) sealWebhookSecret(ctx context.Context, t domain.Tenant, value string) (sealedSecret, error) {
	id := domain.NewID("whs")
	sealed, err := s.seal(ctx, t, "webhook_secrets", id, "sealed", value)
	return sealedSecret{id, sealed}, err
}

// RotateProviderSecret makes the webhook secret of a code-host connection, or a
// new one in its place.
func (s *Service) RotateProviderSecret(ctx context.Context, t domain.Tenant, id string) (WebhookSecret, error) {
	return s.rotate(ctx, t, id, s.hooksSoon)
}

// rotate makes the webhook secret of a connection, and calls then in the transaction in
// which it becomes the newest.
func (s *Service) rotate(ctx context.Context, t domain.Tenant, id string, then func(context.Context, domain.Tenant, store.ProviderConnection) error) (WebhookSecret, error) {
	row, err := s.Store.ProviderConnection(ctx, t, id)
	if err != nil {
		return WebhookSecret{}, err
	}
	kind := domain.ConnectionKind(row.Kind)
	fresh := newWebhookSecret(kind)
	sealed, err := s.sealWebhookSecret(ctx, t, fresh.Reveal())
	if err != nil {
		return WebhookSecret{}, err
	}
	out := WebhookSecret{Secret: fresh.Reveal(), WebhookURL: s.webhookURL(kind, id)}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Store.ProviderConnection(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		after, until, err := s.Store.RotateProviderSecret(ctx, t, id, sealed.id, sealed.sealed, SecretOverlap)
		if err != nil {
			return audit.Act{}, err
		}
		if after.Kind != row.Kind { // the secret has the form of another host
			return audit.Act{}, changedMeanwhile()
		}
		out.PreviousValidUntil = store.TimeOrNil(until)
		r := s.providerOfRow(after)
		return audit.Act{Tenant: t, Action: "provider-connection.rotate-secret", Target: r.target(), Before: s.providerOfRow(before), After: r}, then(ctx, t, after)
	})
	return out, err
}

// hooksSoon has a job register the newest webhook secret at the host, where the
// connection does that.
func (s *Service) hooksSoon(ctx context.Context, t domain.Tenant, row store.ProviderConnection) error {
	if !row.RegisterWebhooks {
		return nil
	}
	return s.syncSoon(ctx, t, row)
}

// RotateTrackerSecret makes the webhook secret of a tracker connection, or a
// new one in its place.
func (s *Service) RotateTrackerSecret(ctx context.Context, t domain.Tenant, id string) (WebhookSecret, error) {
	row, err := s.Store.TrackerConnection(ctx, t, id)
	if err != nil {
		return WebhookSecret{}, err
	}
	fresh := newWebhookSecret(domain.ConnectionKind(row.Kind))
	sealed, err := s.sealWebhookSecret(ctx, t, fresh.Reveal())
	if err != nil {
		return WebhookSecret{}, err
	}
	out := WebhookSecret{Secret: fresh.Reveal()}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Store.TrackerConnection(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		after, until, err := s.Store.RotateTrackerSecret(ctx, t, id, sealed.id, sealed.sealed, SecretOverlap)
		if err != nil {
			return audit.Act{}, err
		}
		r := s.trackerOfRow(after)
		out.WebhookURL, out.PreviousValidUntil = r.WebhookURL, store.TimeOrNil(until)
		return audit.Act{Tenant: t, Action: "tracker-connection.rotate-secret", Target: r.target(), Before: s.trackerOfRow(before), After: r}, nil
	})
	return out, err
}

func changedMeanwhile() error {
	return errs.New(errs.Conflict, "changed", "The connection has become one to another host in between. Repeat the request.")
}
