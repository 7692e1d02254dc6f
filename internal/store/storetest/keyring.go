package storetest

import (
	"testing"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Keyring opens a keyring of its own over the database.
func Keyring(t testing.TB, s *store.Store) *secret.Keyring {
	t.Helper()
	keys, err := secret.NewKeyring(secret.NewToken(secret.InstanceKey), secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset, CreateFunc: s.CreateKeyset, KeptFunc: s.AfterCommit})
	must(t, err)
	return keys
}
