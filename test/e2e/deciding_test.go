package e2e

import (
	"database/sql"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// standing makes the transaction that decides on an approval stop between its first change and its commit.
func (w *world) standing() (after func()) {
	w.Helper()
	return w.stoppedAt("UPDATE OF state", "approvals", "")
}

// stoppedAt makes the transaction stop that writes a row of a table, after that write and before its commit: in PostgreSQL a trigger
// sleeps, in SQLite it counts the rows of a product that takes years. A condition on NEW selects rows; "" selects all. after lets the
// next transaction pass.
func (w *world) stoppedAt(event, table, condition string) (after func()) {
	w.Helper()
	if condition != "" {
		condition = " WHEN (" + condition + ")"
	}
	if w.storage.embedded {
		w.exec(`CREATE TRIGGER stand_still AFTER ` + event + ` ON ` + table + condition + ` BEGIN
			SELECT COUNT(*) FROM sqlite_schema a, sqlite_schema b, sqlite_schema c, sqlite_schema d, sqlite_schema e, sqlite_schema f WHERE a.rootpage + f.rootpage < 0; END`)
		return func() { w.exec(`DROP TRIGGER stand_still`) }
	}
	w.exec(`CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3600); RETURN NEW; END $$`)
	w.exec(`CREATE TRIGGER stand_still AFTER ` + event + ` ON ` + table + ` FOR EACH ROW` + condition + ` EXECUTE FUNCTION stand_still()`)
	return func() {
		w.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`) // the result of the dead worker's statement is not needed
		w.exec(`DROP TRIGGER stand_still ON ` + table)
		w.exec(`DROP FUNCTION stand_still`)
	}
}

// inside waits until a transaction is stopped; in SQLite, until another writer is refused for a second.
func (w *world) inside() {
	w.Helper()
	if !w.storage.embedded {
		testkit.Eventually(w.T, patience, func() (bool, string) {
			return w.count(`SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`) == 1, "no transaction decides"
		})
		return
	}
	db, err := sql.Open("sqlite", "file:"+w.database+"?_pragma=busy_timeout(1000)&_txlock=immediate")
	must(w.T, err)
	defer func() { _ = db.Close() }()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		tx, err := db.BeginTx(w.ctx, nil)
		if err == nil {
			must(w.T, tx.Rollback())
		}
		return err != nil, "no transaction holds the lock"
	})
}

// A worker that is killed inside the deciding transaction has decided nothing. Its successor decides
// once, and one review is published.
func TestKilledWhileItDecides(t *testing.T) {
	on(t, both, func(_ *testing.T, w *world) {
		p := w.worked()
		w.people()
		boss, path := w.approvals()
		pr, v := w.waits(boss, path)
		w.quiet()
		after := w.standing()
		w.say(pr.Number, "writer", "/assay approve "+v.Digest[:12])
		w.inside()
		p.Signal(syscall.SIGKILL)
		p.Wait(patience)
		after()
		testkit.Equal(w.T, "decided by the dead", w.count(`SELECT COUNT(*) FROM approvals WHERE state <> 'pending'`), 0)
		testkit.Equal(w.T, "recorded of the dead", w.count(`SELECT COUNT(*) FROM audit_entries WHERE action = 'approval.approve'`), 0)
		w.again()
		w.reviewed(pr.Number, 1)
		w.verify()
		testkit.Equal(w.T, "decided", w.count(`SELECT COUNT(*) FROM approvals WHERE state = 'published'`), 1)
		testkit.Equal(w.T, "recorded", w.count(`SELECT COUNT(*) FROM audit_entries WHERE action = 'approval.approve'`), 1)
	})
}
