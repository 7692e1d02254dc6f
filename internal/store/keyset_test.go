package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A keyring must not keep a data key whose transaction was rolled back: texts that it sealed would be
// lost with the process.
func TestDataKeyOfAnUndoneTransactionIsNotKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		instance := secret.NewToken(secret.InstanceKey)
		process := func() *secret.Keyring {
			k, err := secret.NewKeyring(instance, secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset, CreateFunc: s.CreateKeyset, KeptFunc: s.AfterCommit})
			testkit.OK(t, err)
			return k
		}
		scope := secret.Scope{Tenant: tenant.ID, Table: "t", Row: "r", Column: "c"}
		one, undone := process(), errors.New("undone")
		err := s.InTx(bg, func(ctx context.Context) error {
			if _, err := one.SealSecret(ctx, scope, secret.New("lost")); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		sealed, err := one.SealSecret(bg, scope, secret.New("kept"))
		testkit.OK(t, err)
		back, err := process().OpenSecret(bg, scope, sealed)
		testkit.OK(t, err)
		testkit.Equal(t, "opened by another process", back.Reveal(), "kept")
	})
}
