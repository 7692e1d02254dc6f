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

// A database with the first form of 0064, whose trigger did not lock the pull request, gets the present trigger, and each finding the
// state of its pull request.
func TestFindingsListIsRepaired(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := newWorklist(t, s)
		testkit.OK(t, store.MigrateDownTo(bg, s, 65))
		raw(t, s, `UPDATE pull_requests SET state = 'closed' WHERE id = $1`, w.Pull.ID)
		wrong := `SELECT COUNT(*) FROM findings f WHERE f.pull_open <> EXISTS (SELECT 1 FROM pull_requests p WHERE p.tenant_id = f.tenant_id
			AND p.id = f.pull_request_id AND p.state = 'open')`
		raw(t, s, `UPDATE findings SET pull_open = NOT pull_open`)
		if count(t, s, wrong) == 0 {
			t.Fatal("no finding has another state than its pull request")
		}
		locks := `SELECT COUNT(*) FROM pg_proc WHERE proname = 'finding_added' AND prosrc LIKE '%FOR NO KEY UPDATE%'`
		if s.Engine() == "postgres" {
			raw(t, s, `CREATE OR REPLACE FUNCTION finding_added() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
		}
		testkit.OK(t, store.MigrateTo(bg, s, 66))
		testkit.Equal(t, "findings with another state than their pull request", count(t, s, wrong), 0)
		if s.Engine() == "postgres" {
			testkit.Equal(t, "triggers that lock the pull request", count(t, s, locks), 1)
		}
	})
}
