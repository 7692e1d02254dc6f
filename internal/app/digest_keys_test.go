package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// Each repository has keys of its own, one for each instance key, which are the same in every process.
func TestDigestKeysAreOfARepository(t *testing.T) {
	t.Parallel()
	older, newest := secret.NewToken(secret.InstanceKey), secret.NewToken(secret.InstanceKey)
	keys := func(configured, tenant, repository string) [][]byte {
		ring, err := secret.NewKeyring(secret.New(configured), secret.KeyStoreFuncs{})
		testkit.OK(t, err)
		return (&App{Keyring: ring}).digestKeys(domain.Tenant{ID: tenant}, repository)
	}
	both := strings.Join([]string{newest.Reveal(), older.Reveal()}, ",")
	got, before := keys(both, "t1", "r1"), keys(older.Reveal(), "t1", "r1")
	if len(got) != 2 || len(before) != 1 || !bytes.Equal(got[1], before[0]) || bytes.Equal(got[0], got[1]) {
		t.Errorf("%d keys, %d before", len(got), len(before))
	}
	for name, other := range map[string][][]byte{"another tenant": keys(both, "t2", "r1"), "another repository": keys(both, "t1", "r2")} {
		if bytes.Equal(other[0], got[0]) {
			t.Errorf("%s has the same key", name)
		}
	}
}
