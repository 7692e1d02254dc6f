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

// SecretOverlap is how long the previous webhook secret still verifies deliveries, so that none are lost
// while the new one is entered at the host.
const SecretOverlap = 24 * time.Hour

// WebhookSecret is the only answer that shows a new webhook secret.
type WebhookSecret struct {
	Secret             string     `json:"secret" doc:"To enter at the host; it is not shown again"`
	WebhookURL         string     `json:"webhookUrl" doc:"To enter at the host"`
	PreviousValidUntil *time.Time `json:"previousValidUntil,omitempty" doc:"Deliveries signed with the previous secret are accepted until then; absent without a previous secret"`
}

// newWebhookSecret makes a secret in the host's form. GitLab's signing token is "whsec_" with 32 bytes in
// base 64 (gitlab.com/gitlab-org/gitlab merge request 231325), which is also a valid secret token. Other
// hosts accept any text (Atlassian support, manage webhooks; Gitea and Forgejo, services/webhook; Azure
// DevOps, basicAuthPassword of a service hook). They get one of our tokens: 44 letters, digits and
// underscores, below every host's limit.
func newWebhookSecret(kind domain.ConnectionKind) secret.Secret {
	if kind != domain.GitLab {
		return secret.NewToken(secret.Webhook)
	}
	var key [32]byte
	_, _ = rand.Read(key[:]) // never returns an error (package documentation of crypto/rand)
	return secret.New(secret.SigningPrefix + base64.StdEncoding.EncodeToString(key[:]))
}

// sealedSecret is a sealed webhook secret with the id that it was sealed for.
type sealedSecret struct {
	id     string
	sealed []byte // nil: no secret
}

func (s *Service) sealWebhookSecret(ctx context.Context, t domain.Tenant, value string) (sealedSecret, error) {
	id := domain.NewID("whs")
	sealed, err := s.seal(ctx, t, "webhook_secrets", id, "sealed", value)
	return sealedSecret{id, sealed}, err
}

// RotateProviderSecret makes or replaces the webhook secret of a code-host connection.
func (s *Service) RotateProviderSecret(ctx context.Context, t domain.Tenant, id string) (WebhookSecret, error) {
	return s.rotate(ctx, t, id, s.hooksSoon)
}

// rotate makes or replaces the webhook secret of a connection, and calls then in the same transaction.
func (s *Service) rotate(ctx context.Context, t domain.Tenant, id string,
	then func(context.Context, domain.Tenant, store.ProviderConnection) error) (WebhookSecret, error) {
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
		return audit.Act{Tenant: t, Action: "provider-connection.rotate-secret", Target: r.target(), Before: s.providerOfRow(before),
			After: r}, then(ctx, t, after)
	})
	return out, err
}

// hooksSoon has a job register the newest webhook secret at the host, if the connection registers webhooks.
func (s *Service) hooksSoon(ctx context.Context, t domain.Tenant, row store.ProviderConnection) error {
	if !row.RegisterWebhooks {
		return nil
	}
	return s.syncSoon(ctx, t, row)
}

// RotateTrackerSecret makes or replaces the webhook secret of a tracker connection.
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
