package webhook

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// fresh is how long opened webhook secrets are kept in memory: a secret that is
// rotated or an app that is deleted counts after this time at the latest.
const fresh = 5 * time.Second

// Apps finds the app a delivery is addressed to, with its opened secrets.
type Apps struct {
	store   *store.Store
	keyring *secret.Keyring
	nobody  secret.Secret // a secret that nobody has

	mu     sync.Mutex
	read   time.Time
	byHost map[domain.HostID][]app // two hosts may number their apps alike
}

type app struct {
	id      string
	known   bool
	secrets []interface{ Reveal() string }
	broken  error // why a secret is missing
}

// NewApps makes the finder.
func NewApps(s *store.Store, k *secret.Keyring) *Apps {
	return &Apps{store: s, keyring: k, nobody: secret.New(rand.Text())}
}

// find returns the apps with the host's id; the signature says which it is.
// An unknown one is looked up again, but not more often than once a second,
// so that strangers cannot make us ask the database for each of their requests.
// An app whose secrets cannot be opened is an error for its own deliveries only.
func (a *Apps) find(ctx context.Context, id domain.HostID) ([]app, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	got, ok := a.byHost[id]
	age := time.Since(a.read)
	if age > fresh || !ok && age > time.Second {
		if err := a.load(ctx); err != nil {
			if !ok {
				return nil, err
			}
			return got, nil // the ingest will say whether the database is there
		}
		got, ok = a.byHost[id]
	}
	if !ok || id == "" {
		return []app{{secrets: []interface{ Reveal() string }{a.nobody}}}, nil
	}
	return got, nil
}

func (a *Apps) load(ctx context.Context) error {
	rows, err := a.store.Apps(ctx)
	if err != nil {
		return err
	}
	byHost := make(map[domain.HostID][]app, len(rows))
	for _, row := range rows {
		one := app{id: row.ID, known: true}
		for column, sealed := range map[string][]byte{"webhook_secret": row.WebhookSecret, "next_webhook_secret": row.NextWebhookSecret} {
			if len(sealed) == 0 {
				continue
			}
			s, err := a.keyring.OpenSecret(ctx, secret.Scope{Table: "apps", Row: row.ID, Column: column}, sealed)
			if errs.Is(err, errs.Unavailable) {
				return err
			}
			if err != nil {
				one.broken = errs.Wrap(err, errs.Unavailable, "unavailable", "A stored webhook secret cannot be opened: the instance key is not the one it was sealed with.")
				continue
			}
			one.secrets = append(one.secrets, s)
		}
		byHost[row.ExternalID] = append(byHost[row.ExternalID], one)
	}
	a.byHost, a.read = byHost, time.Now()
	return nil
}
