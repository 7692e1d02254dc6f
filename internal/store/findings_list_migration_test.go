package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A process of the version before 0064 that writes a finding and then its pull request ends its transaction while the migration waits,
// and the migration ends after it.
func TestFindingsListBesideAnOldProcess(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, testkit.Postgres(t))
	testkit.OK(t, store.MigrateTo(bg, s, 63))
	ctx, cancel := context.WithTimeout(bg, 2*time.Minute)
	t.Cleanup(cancel)
	tx := must2(s.DB().Write.BeginTx(ctx, nil))(t)
	write := func(text string) {
		t.Helper()
		_, err := tx.ExecContext(ctx, text)
		testkit.OK(t, err)
	}
	write(`UPDATE findings SET severity = severity`)
	migrated := make(chan error, 1)
	go func() { migrated <- store.MigrateTo(ctx, s, 64) }()
	testkit.Eventually(t, time.Minute, func() (bool, string) {
		return count(t, s, `SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = 'findings'::regclass`) > 0,
			"the migration does not wait for the table of findings"
	})
	write(`UPDATE pull_requests SET title = title`)
	testkit.OK(t, tx.Commit())
	testkit.OK(t, <-migrated)
}
