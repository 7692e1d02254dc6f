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

// Apps finds the app of a delivery, with its opened secrets.
type Apps struct {
	store        *store.Store
	keyring      *secret.Keyring
	randomSecret secret.Secret // a random secret that no host has

	mu     sync.Mutex
	read   readTimes
	byHost map[domain.HostID][]app // a list, because two hosts may use the same app id
}

type app struct {
	id      string
	known   bool
	secrets []interface{ Reveal() string }
	broken  error // error of a missing secret
}

// NewApps returns a finder.
func NewApps(s *store.Store, k *secret.Keyring) *Apps {
	return &Apps{store: s, keyring: k, randomSecret: secret.New(rand.Text()), read: readTimes{now: time.Now}}
}

// find returns the apps with the host's id; the signature decides between them. It looks up an unknown app
// at most once per [codehost.SecretReadInterval], so that strangers cannot cause a database query with each
// request. If an app's secrets do not open, only its own deliveries fail.
func (a *Apps) find(ctx context.Context, id domain.HostID) ([]app, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	got, ok := a.byHost[id]
	if a.read.stale() || !ok && a.read.repeatable() {
		if err := a.load(ctx); err != nil {
			if !ok {
				return nil, err
			}
			return got, nil // storing the delivery will show whether the database works
		}
		got, ok = a.byHost[id]
	}
	if !ok || id == "" {
		return []app{{secrets: []interface{ Reveal() string }{a.randomSecret}}}, nil
	}
	return got, nil
}

// again returns the apps of a delivery that no cached secret verifies, with the secrets that the store has
// now. It returns nil if they were read too recently.
func (a *Apps) again(ctx context.Context, id domain.HostID) ([]app, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.read.repeatable() {
		return nil, nil
	}
	err := a.load(ctx)
	return a.byHost[id], err
}

func (a *Apps) load(ctx context.Context) error {
	began := a.read.now()
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
				one.broken = errs.Wrap(err, errs.Unavailable, "unavailable",
					"A stored webhook secret cannot be opened: the instance key is not the one it was sealed with.")
				continue
			}
			one.secrets = append(one.secrets, s)
		}
		byHost[row.ExternalID] = append(byHost[row.ExternalID], one)
	}
	a.byHost, a.read.last = byHost, began
	return nil
}
