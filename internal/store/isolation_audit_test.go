package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var auditIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
			if _, err := s.LockAuditLog(ctx, v.Tenant); err != nil {
				return err
			}
			return s.AppendAudit(ctx, v.Tenant, 0, []store.AuditEntry{auditEntry(0)}, 0, [][]byte{[]byte("hash")}, "head")
		}))
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"AuditLogOf":       {},
			"AuditHashes":      {[]int64{0}},
			"AuditHashesFrom":  {int64(0), 10},
			"AuditEntriesFrom": {int64(0), 10},
			"AuditEntries":     {store.AuditFilter{Limit: 10}},
			"EraseAuditBodies": {int64(-1e9), "", 10},
			"AppendAudit":      {int64(1), []store.AuditEntry{auditEntry(1)}, int64(1), [][]byte{[]byte("evil")}, "evil"},
		}
	},
	instance: map[string]string{
		"AuditLogs": "retention, in every log", "AuditKey": "one key signs the heads of all logs", "CreateAuditKey": "one key signs the heads of all logs",
		"Within": "the store", "BeforeCommit": "the store", "AfterCommit": "the store",
	},
	ownRows: map[string]string{"LockAuditLog": "the log is the caller's"},
}

func auditEntry(seq int64) store.AuditEntry {
	return store.AuditEntry{Seq: seq, AtUS: 1, Action: "a.b", Result: "ok", BodyHash: []byte("hash"), Salt: []byte("salt"), Body: "{}", Leaf: []byte("leaf")}
}

// The last steps of a transaction run in order and belong to the transaction.
func TestBeforeAndAfterCommit(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		var got []string
		say := func(ctx context.Context, key string, values []any) error {
			got = append(got, key)
			for _, v := range values {
				got = append(got, v.(string))
			}
			return nil
		}
		work := func(fail error) func(ctx context.Context) error {
			return func(ctx context.Context) error {
				s.AfterCommit(ctx, func() { got = append(got, "after") })
				for _, kv := range [][2]string{{"b", "1"}, {"a", "2"}, {"b", "3"}} {
					testkit.OK(t, s.BeforeCommit(ctx, kv[0], kv[1], func(ctx context.Context, values []any) error { return say(ctx, kv[0], values) }))
				}
				if fail != nil {
					testkit.OK(t, s.BeforeCommit(ctx, "c", nil, func(context.Context, []any) error { return fail }))
				}
				_, err := s.CreateTenant(ctx, "kept")
				got = append(got, "f")
				return err
			}
		}
		testkit.OK(t, s.InTx(bg, work(nil)))
		testkit.Equal(t, "order", strings.Join(got, " "), strings.Join([]string{"f", "a", "2", "b", "1", "3", "after"}, " "))
		got = nil
		if err := s.InTx(bg, work(context.Canceled)); err == nil {
			t.Error("an error before the commit was lost")
		}
		testkit.Equal(t, "order", strings.Join(got, " "), strings.Join([]string{"f", "a", "2", "b", "1", "3"}, " "))
		all, err := s.Tenants(bg)
		testkit.OK(t, err)
		testkit.Require(t, "tenants", len(all), 1)
		if err := s.BeforeCommit(bg, "a", nil, nil); err == nil {
			t.Error("BeforeCommit outside of a transaction")
		}
		s.AfterCommit(bg, func() { got = nil })
		testkit.Require(t, "at once", len(got), 0)
	})
}
