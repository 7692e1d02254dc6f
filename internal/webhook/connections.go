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

// keysOfOne is the number of secrets that a delivery is checked against: the newest, and the previous one
// while it is valid. The number is the same for connections with fewer secrets and for unknown connections.
const keysOfOne = 2

// Connections finds the connection of a delivery, with its opened webhook secrets. It reads all connections
// at once. Therefore requests for unknown connections cause no database queries, and their duration reveals
// nothing.
type Connections struct {
	store        *store.Store
	keyring      *secret.Keyring
	randomSecret secret.Secret // a random secret that no host has

	mu     sync.Mutex
	read   readTimes
	byID   map[string]candidateConnection
	opened map[string]secret.Secret // by id of the secret
}

// candidateConnection is the possible connection of a delivery.
type candidateConnection struct {
	id, tenant string
	kind       domain.ConnectionKind
	known      bool
	secrets    []secret.Secret // always [keysOfOne] entries
	broken     error           // error of a missing secret
}

// NewConnections returns a finder.
func NewConnections(s *store.Store, k *secret.Keyring) *Connections {
	return &Connections{store: s, keyring: k, randomSecret: secret.New(rand.Text()), read: readTimes{now: time.Now}}
}

// find returns an enabled connection of a kind. For any other id it returns a connection with random
// secrets. Changes take effect after [fresh], and new ids after [codehost.SecretReadInterval].
func (c *Connections) find(ctx context.Context, kind domain.ConnectionKind, id string) (candidateConnection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.byID[id]
	if c.read.stale() || !ok && c.read.repeatable() {
		if err := c.load(ctx); err != nil && !ok {
			return candidateConnection{}, err
		} // otherwise storing the delivery will show whether the database works
	}
	return c.cached(kind, id), nil
}

// again returns the connection of a delivery that no cached secret verifies, with the secrets that the store
// has now. It returns false if they were read too recently.
func (c *Connections) again(ctx context.Context, kind domain.ConnectionKind, id string) (candidateConnection, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.read.repeatable() {
		return candidateConnection{}, false, nil
	}
	err := c.load(ctx)
	return c.cached(kind, id), err == nil, err
}

// cached returns a connection of the cache, or one with random secrets; c.mu is held.
func (c *Connections) cached(kind domain.ConnectionKind, id string) candidateConnection {
	if got, ok := c.byID[id]; ok && got.kind == kind {
		return got
	}
	return candidateConnection{secrets: c.filled(nil)}
}

// filled fills a list of secrets up to keysOfOne entries.
func (c *Connections) filled(secrets []secret.Secret) []secret.Secret {
	for len(secrets) < keysOfOne {
		secrets = append(secrets, c.randomSecret)
	}
	return secrets
}

func (c *Connections) load(ctx context.Context) error {
	began := c.read.now()
	rows, err := c.store.DeliveryKeys(ctx)
	if err != nil {
		return err
	}
	byID, opened := make(map[string]candidateConnection, len(rows)), make(map[string]secret.Secret, len(rows))
	for _, row := range rows {
		one := byID[row.Connection]
		one.id, one.tenant, one.kind, one.known = row.Connection, row.Tenant, domain.ConnectionKind(row.Kind), true
		if row.Secret != "" && len(one.secrets) < keysOfOne {
			key, there := c.opened[row.Secret]
			if !there {
				key, err = c.keyring.OpenSecret(ctx, secret.Scope{Tenant: row.Tenant, Table: "webhook_secrets", Row: row.Secret,
					Column: "sealed"}, row.Sealed)
			}
			switch {
			case errs.Is(err, errs.Unavailable):
				return err
			case err != nil:
				one.broken = errs.Wrap(err, errs.Unavailable, "unavailable",
					"A stored webhook secret cannot be opened: the instance key is not the one it was sealed with.")
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
	c.byID, c.opened, c.read.last = byID, opened, began
	return nil
}
