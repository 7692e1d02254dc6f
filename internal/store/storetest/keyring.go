package storetest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Sealed fails the test unless each column, written as table.column, has sealed values that open in the
// scope that the store names for them.
func Sealed(t testing.TB, s *store.Store, k *secret.Keyring, columns ...string) {
	t.Helper()
	found := map[string]int{}
	for _, c := range store.SealedColumns() {
		name := c.Table + "." + c.Column
		if !slices.Contains(columns, name) {
			continue
		}
		values, err := s.SealedValues(context.Background(), c, "", 100)
		must(t, err)
		found[name] = len(values)
		for _, v := range values {
			if _, err := k.Open(context.Background(), secret.Scope{Tenant: v.Tenant, Table: v.Table, Row: v.Row, Column: v.Column},
				v.Sealed); err != nil {
				t.Errorf("%s of %s: %v", name, v.Row, err)
			}
		}
	}
	for _, name := range columns {
		if found[name] == 0 {
			t.Errorf("%s has no sealed value", name)
		}
	}
}

// instanceKeys are the instance keys of stores.
var instanceKeys sync.Map

// Keyring opens a keyring over the database. Keyrings of one store have the same instance key, as processes of one instance have.
func Keyring(t testing.TB, s *store.Store) *secret.Keyring {
	t.Helper()
	key, _ := instanceKeys.LoadOrStore(s, secret.NewToken(secret.InstanceKey))
	t.Cleanup(func() { instanceKeys.Delete(s) })
	keys, err := secret.NewKeyring(key.(secret.Secret),
		secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset, CreateFunc: s.CreateKeyset, KeptFunc: s.AfterCommit})
	must(t, err)
	return keys
}
