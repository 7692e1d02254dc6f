package app

import (
	"context"
	"log/slog"
	"os/user"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// AuditLog opens the audit log for a command: it needs the instance key, which
// seals the key that signs. A wrong instance key is an error.
func AuditLog(ctx context.Context, c config.Config, s *store.Store, logger *slog.Logger) (*audit.Log, error) {
	if _, err := c.EnsureInstanceKey(); err != nil {
		return nil, err
	}
	keys, err := secret.NewKeyring(c.InstanceKey, secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset, CreateFunc: s.CreateKeyset, KeptFunc: s.AfterCommit})
	if err != nil {
		return nil, err
	}
	if err := keys.Verify(ctx); err != nil {
		return nil, err
	}
	return audit.New(s, keys, logger), nil
}

// Operator is who acts by a command on the server: the account of the operating
// system that runs it.
func Operator() audit.Actor {
	a := audit.Actor{Kind: audit.KindOperator, Method: "command line"}
	if u, err := user.Current(); err == nil {
		a.Name = u.Username
	}
	return a
}
