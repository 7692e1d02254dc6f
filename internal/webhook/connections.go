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

// keysOfOne is with how many secrets a delivery to a connection is checked: the
// newest, and the one before while it is in force. It is the same number for a
// connection that has fewer, or that is not there.
const keysOfOne = 2

// Connections finds the connection that a delivery is addressed to,
// with its opened webhook secrets. All are read at once: who asks for one that is
// not there cannot make us ask the database for each request, and learns nothing
// from the time that it takes.
type Connections struct {
	store   *store.Store
	keyring *secret.Keyring
	nobody  secret.Secret // a secret that nobody has

	mu     sync.Mutex
	read   time.Time
	byID   map[string]addressee
	opened map[string]secret.Secret // by id of the secret
}

// addressee is a connection that a delivery may be for.
type addressee struct {
	id, tenant string
	kind       domain.ConnectionKind
	known      bool
	secrets    []secret.Secret // always [keysOfOne]
	broken     error           // why a secret is missing
}

// NewConnections makes the finder.
func NewConnections(s *store.Store, k *secret.Keyring) *Connections {
	return &Connections{store: s, keyring: k, nobody: secret.New(rand.Text())}
}

// find returns a connection of a kind that is enabled; for any other id one whose
// secrets nobody has. What has changed counts after [fresh]; an id that was not
// there is looked for again after a second.
func (c *Connections) find(ctx context.Context, kind domain.ConnectionKind, id string) (addressee, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	got, ok := c.byID[id]
	if age := time.Since(c.read); age > fresh || !ok && age > time.Second {
		if err := c.load(ctx); err != nil && !ok {
			return addressee{}, err
		} // else the ingest will say whether the database is there
		got, ok = c.byID[id]
	}
	if !ok || got.kind != kind {
		return addressee{secrets: c.filled(nil)}, nil
	}
	return got, nil
}

// filled is a list of secrets with as many as are always checked.
func (c *Connections) filled(secrets []secret.Secret) []secret.Secret {
	for len(secrets) < keysOfOne {
		secrets = append(secrets, c.nobody)
	}
	return secrets
}

func (c *Connections) load(ctx context.Context) error {
	rows, err := c.store.DeliveryKeys(ctx)
	if err != nil {
		return err
	}
	byID, opened := make(map[string]addressee, len(rows)), make(map[string]secret.Secret, len(rows))
	for _, row := range rows {
		one := byID[row.Connection]
		one.id, one.tenant, one.kind, one.known = row.Connection, row.Tenant, domain.ConnectionKind(row.Kind), true
		if row.Secret != "" && len(one.secrets) < keysOfOne {
			key, there := c.opened[row.Secret]
			if !there {
				key, err = c.keyring.OpenSecret(ctx, secret.Scope{Tenant: row.Tenant, Table: "webhook_secrets", Row: row.Secret, Column: "sealed"}, row.Sealed)
			}
			switch {
			case errs.Is(err, errs.Unavailable):
				return err
			case err != nil:
				one.broken = errs.Wrap(err, errs.Unavailable, "unavailable", "A stored webhook secret cannot be opened: the instance key is not the one it was sealed with.")
				err = nil
			default:
				opened[row.Secret] = key
				one.secrets = append(one.secrets, key)
			}
		}
		byID[row.Connection] = one
	}
	for id, one := range byID {
		one.secrets = c.filled(one.secrets)
		byID[id] = one
	}
	c.byID, c.opened, c.read = byID, opened, time.Now()
	return nil
}
