package audit_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// logs are two logs of the same shape in one database.
type logs struct {
	*audit.Log
	store      *store.Store
	raw        storetest.Raw
	mine, your domain.Tenant
	before     string // a checkpoint after some entries
	beforeSize int
}

const entries = 9

func newLogs(t testing.TB, s *store.Store, raw storetest.Raw) *logs {
	t.Helper()
	l := &logs{Log: newLog(t, s), store: s, raw: raw, mine: storetest.Tenant(t, s), your: storetest.Tenant(t, s), beforeSize: 6}
	for i := range entries {
		for _, tenant := range []domain.Tenant{l.mine, l.your} {
			l.write(t, tenant, i)
		}
		if i+1 == l.beforeSize {
			l.before = l.report(t, "").Checkpoint
		}
	}
	return l
}

func (l *logs) write(t testing.TB, tenant domain.Tenant, i int) {
	t.Helper()
	ctx := audit.As(bg, audit.Actor{Kind: audit.KindUser, UserID: "usr_1", Name: "=HYPERLINK(\"x\")"})
	testkit.OK(t, l.Record(ctx, audit.Act{Tenant: tenant, Action: "rule.create", Target: audit.Target{Kind: "rule", ID: fmt.Sprint("rul_", i), Name: "a \"b\",\nc"},
		After: struct {
			Title string `json:"title" audit:"track"`
		}{fmt.Sprint("<rule> ", i)}}))
}

func (l *logs) report(t testing.TB, older string) audit.LogReport {
	t.Helper()
	r, err := l.Verify(bg, l.mine, older)
	testkit.OK(t, err)
	return r
}

func (l *logs) export(t testing.TB, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, l.Export(bg, l.mine, format, &b))
	return b.Bytes()
}

func (l *logs) sql(t testing.TB, text string, args ...any) {
	t.Helper()
	l.raw(text, args...)
}

func kinds(r audit.LogReport) (out []string) {
	for _, f := range r.Findings {
		k := f.Kind
		if f.Seq != nil {
			k += fmt.Sprint(" ", *f.Seq)
		}
		if f.Count != 0 {
			k += fmt.Sprint("+", f.Count)
		}
		out = append(out, k)
	}
	return out
}

func TestAWholeLogIsFine(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		l := newLogs(t, s, raw)
		for name, older := range map[string]string{"alone": "", "with an older checkpoint": l.before, "with its own": l.report(t, "").Checkpoint} {
			if r := l.report(t, older); !r.OK || r.Size != entries || r.Checkpoint == "" || older != "" && r.Compared == nil {
				t.Errorf("%s: %+v", name, r)
			}
		}
		key, err := l.Key(bg)
		testkit.OK(t, err)
		for _, format := range []string{audit.JSONL, audit.CSV} {
			for _, verifier := range []string{"", key} {
				r, err := audit.VerifyFile(bytes.NewReader(l.export(t, format)), verifier, l.before)
				if err != nil || !r.OK || r.Size != entries {
					t.Errorf("%s: %+v, %v", format, r, err)
				}
			}
		}
		empty, err := l.Verify(bg, domain.Tenant{ID: "ten_none"}, "")
		if err != nil || !empty.OK || empty.Size != 0 || empty.Checkpoint != "" {
			t.Errorf("an empty log: %+v, %v", empty, err)
		}
		for _, bad := range []string{"x", l.before[:20], strings.Repeat("a", 5000)} {
			if _, err := l.Verify(bg, l.mine, bad); err == nil {
				t.Errorf("a checkpoint %.10q was taken", bad)
			}
		}
	})
}

// tampering changes the rows of a log behind the service's back. want lists the findings online. offline
// lists those in the exports if they differ.
var tampering = []struct {
	name    string
	do      func(t *testing.T, l *logs)
	want    []string
	offline []string
	older   bool // found only against a checkpoint that was kept outside
}{
	{name: "a body is changed", do: func(t *testing.T, l *logs) {
		l.sql(t, `UPDATE audit_entries SET body = replace(body, 'usr_1', 'usr_2') WHERE log_id = $1 AND seq = 3`, l.mine.ID)
	}, want: []string{"altered 3"}},
	{name: "a body and its hash are changed", do: func(t *testing.T, l *logs) {
		l.sql(t, `UPDATE audit_entries SET body_hash = (SELECT body_hash FROM audit_entries WHERE log_id = $1 AND seq = 4) WHERE log_id = $1 AND seq = 3`, l.mine.ID)
	}, want: []string{"altered 3"}},
	{name: "an action is changed", do: func(t *testing.T, l *logs) {
		l.sql(t, `UPDATE audit_entries SET action = 'rule.read' WHERE log_id = $1 AND seq = 8`, l.mine.ID)
	}, want: []string{"altered 8"}},
	{name: "a column that is searched is changed", do: func(t *testing.T, l *logs) {
		l.sql(t, `UPDATE audit_entries SET actor_id = 'usr_2' WHERE log_id = $1 AND seq = 0`, l.mine.ID)
	}, want: []string{"altered 0"}, offline: []string{}},
	{name: "a body is taken out without a word", do: func(t *testing.T, l *logs) {
		l.sql(t, `UPDATE audit_entries SET body = NULL, salt = NULL, action = 'x.y' WHERE log_id = $1 AND seq = 2`, l.mine.ID)
	}, want: []string{"altered 2"}},
	{name: "entries are removed", do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_entries WHERE log_id = $1 AND seq IN (3, 4)`, l.mine.ID)
	}, want: []string{"removed 3+2"}},
	{name: "an entry is removed and the gap is closed", do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_entries WHERE log_id = $1 AND seq = 3`, l.mine.ID)
		for seq := 4; seq < entries; seq++ {
			l.sql(t, `UPDATE audit_entries SET seq = $2 - 1 WHERE log_id = $1 AND seq = $2`, l.mine.ID, seq)
		}
	}, want: []string{"removed 3"}},
	{name: "an entry is put in the middle", do: func(t *testing.T, l *logs) {
		for seq := entries - 1; seq >= 4; seq-- {
			l.sql(t, `UPDATE audit_entries SET seq = $2 + 1 WHERE log_id = $1 AND seq = $2`, l.mine.ID, seq)
		}
		copyEntry(t, l, l.mine, 3, 4)
	}, want: []string{"inserted 4"}, offline: []string{"inserted 4", "truncated 8"}},
	{name: "an entry is put at the end", do: func(t *testing.T, l *logs) { copyEntry(t, l, l.mine, 8, 9) }, want: []string{"inserted 9"}, offline: []string{}},
	{name: "two entries change places", do: func(t *testing.T, l *logs) {
		for _, m := range [][2]int{{5, 100}, {6, 5}, {100, 6}} {
			l.sql(t, `UPDATE audit_entries SET seq = $3 WHERE log_id = $1 AND seq = $2`, l.mine.ID, m[0], m[1])
		}
	}, want: []string{"reordered 6"}},
	{name: "the tail is cut off", do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_entries WHERE log_id = $1 AND seq >= 7`, l.mine.ID)
	}, want: []string{"truncated 7+2"}},
	{name: "the tail is cut off and the size with it", do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_entries WHERE log_id = $1 AND seq >= 7`, l.mine.ID)
		l.sql(t, `UPDATE audit_logs SET size = 7 WHERE log_id = $1`, l.mine.ID)
	}, want: []string{"truncated", "truncated 7+2"}},
	{name: "the tail is cut off and the head put back", do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_entries WHERE log_id = $1 AND seq >= $2`, l.mine.ID, l.beforeSize)
		l.sql(t, `UPDATE audit_logs SET size = $2, head = $3 WHERE log_id = $1`, l.mine.ID, l.beforeSize, l.before)
	}, want: []string{"truncated 6"}, offline: []string{}},
	{name: "the tail is cut off everywhere and the head put back", older: true, do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_entries WHERE log_id = $1 AND seq >= $2`, l.mine.ID, l.beforeSize)
		l.sql(t, `DELETE FROM audit_hashes WHERE log_id = $1 AND idx >= 10`, l.mine.ID) // tlog.StoredHashCount(6)
		l.sql(t, `UPDATE audit_logs SET size = $2, head = $3 WHERE log_id = $1`, l.mine.ID, l.beforeSize, l.before)
	}, want: []string{"truncated 6"}},
	{name: "an entry is that of another tenant", do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_entries WHERE log_id = $1 AND seq = 4`, l.mine.ID)
		copyEntry(t, l, l.your, 4, 4)
	}, want: []string{"other_log 4"}},
	{name: "the heads of two tenants change places", do: func(t *testing.T, l *logs) {
		l.sql(t, `UPDATE audit_logs SET head = (SELECT head FROM audit_logs WHERE log_id = $2) WHERE log_id = $1`, l.mine.ID, l.your.ID)
	}, want: []string{"other_log"}},
	{name: "the head is signed again with another key", do: func(t *testing.T, l *logs) {
		key, _, err := note.GenerateKey(rand.Reader, "assay-audit")
		testkit.OK(t, err)
		signer, err := note.NewSigner(key)
		testkit.OK(t, err)
		text, _, _ := strings.Cut(l.report(t, "").Checkpoint, "\n\n")
		forged, err := note.Sign(&note.Note{Text: text + "\n"}, signer)
		testkit.OK(t, err)
		l.sql(t, `UPDATE audit_logs SET head = $2 WHERE log_id = $1`, l.mine.ID, string(forged))
	}, want: []string{"other_key"}},
	{name: "a hash of the tree is changed", do: func(t *testing.T, l *logs) {
		l.sql(t, `UPDATE audit_hashes SET hash = (SELECT hash FROM audit_hashes WHERE log_id = $1 AND idx = 0) WHERE log_id = $1 AND idx = 6`, l.mine.ID)
	}, want: []string{"tree_wrong"}, offline: []string{}},
	{name: "a hash of the tree is missing", do: func(t *testing.T, l *logs) {
		l.sql(t, `DELETE FROM audit_hashes WHERE log_id = $1 AND idx = 0`, l.mine.ID)
	}, want: []string{"tree_wrong"}, offline: []string{}},
	{name: "an entry, its hash and the tree are replaced", do: func(t *testing.T, l *logs) {
		remake(t, l, 3)
	}, want: []string{"altered 3"}, offline: []string{"rewritten"}},
}

// copyEntry copies an entry of another log to a position of mine.
func copyEntry(t *testing.T, l *logs, from domain.Tenant, seq, to int) {
	l.sql(t, `INSERT INTO audit_entries (log_id, seq, at_us, action, result, body_hash, salt, body, leaf_hash, actor_kind, actor_id, target_kind, target_id)
		SELECT $1, $4, at_us, action, result, body_hash, salt, body, leaf_hash, actor_kind, actor_id, target_kind, target_id FROM audit_entries WHERE log_id = $2 AND seq = $3`,
		l.mine.ID, from.ID, seq, to)
}

// remake replaces an entry of mine by one that the same service made for the same log in another database.
// The new entry is consistent in itself.
func remake(t *testing.T, l *logs, seq int64) {
	other := storetest.SQLite(t)
	o := newLog(t, other)
	for i := range seq + 1 {
		testkit.OK(t, o.Record(bg, audit.Act{Tenant: l.mine, Action: "rule.create", Target: audit.Target{Kind: "rule", ID: fmt.Sprint("evil_", i)}}))
	}
	rows, err := other.AuditEntriesFrom(bg, l.mine, seq, 1)
	testkit.OK(t, err)
	r := rows[0]
	l.sql(t, `UPDATE audit_entries SET at_us = $3, body_hash = $4, salt = $5, body = $6, leaf_hash = $7, actor_kind = $8, actor_id = '', target_id = $9 WHERE log_id = $1 AND seq = $2`,
		l.mine.ID, seq, r.AtUS, r.BodyHash, r.Salt, r.Body, r.Leaf, r.ActorKind, r.TargetID)
}

func TestTamperingIsFoundAndNamed(t *testing.T) {
	for _, c := range tampering {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				l := newLogs(t, s, raw)
				key, err := l.Key(bg)
				testkit.OK(t, err)
				outside := l.report(t, "").Checkpoint
				c.do(t, l)
				older, want, offline := "", c.want, c.offline
				if offline == nil {
					offline = want
				}
				if c.older {
					if r := l.report(t, ""); !r.OK {
						t.Errorf("detected without an outside checkpoint: %v", kinds(r))
					}
					older = outside
				}
				if r := l.report(t, older); r.OK || !slices.Equal(kinds(r), want) {
					t.Errorf("online: %q, want %q: %+v", kinds(r), want, r.Findings)
				}
				for _, format := range []string{audit.JSONL, audit.CSV} {
					r, err := audit.VerifyFile(bytes.NewReader(l.export(t, format)), key, older)
					testkit.OK(t, err)
					if got := kinds(r); !slices.Equal(got, offline) && len(got)+len(offline) > 0 || r.OK != (len(offline) == 0) {
						t.Errorf("%s: %q, want %q: %+v", format, got, offline, r.Findings)
					}
				}
				if r := l.report(t, outside); r.OK { // a checkpoint kept outside reveals every change
					t.Error("not detected with the outside checkpoint")
				}
			})
		})
	}
}

// The next act does not sign a tree that was tampered with.
func TestABrokenTreeIsNotSignedAgain(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		l := newLogs(t, s, raw)
		l.sql(t, `UPDATE audit_hashes SET hash = (SELECT hash FROM audit_hashes WHERE log_id = $1 AND idx = 0) WHERE log_id = $1 AND idx = 14`, l.mine.ID) // of the first eight
		done := false
		err := l.Do(bg, func(ctx context.Context) (audit.Act, error) {
			_, err := s.CreateTenant(ctx, "must not be")
			done = true
			return audit.Act{Tenant: l.mine, Action: "tenant.create"}, err
		})
		if err == nil || !done {
			t.Fatalf("an act on a broken log: %v", err)
		}
		all, err := s.Tenants(bg)
		testkit.OK(t, err)
		testkit.Require(t, "tenants", len(all), 2)
		testkit.OK(t, l.Record(bg, audit.Act{Tenant: l.your, Action: "a.b"}))
	})
}

func TestErasedBodies(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		l := newLogs(t, s, raw)
		kept := l.report(t, "").Checkpoint
		testkit.OK(t, l.EraseBodies(bg, l.mine, 1))
		testkit.Equal(t, "size", l.report(t, kept).Size, int64(entries)) // all entries are younger than a day
		testkit.OK(t, l.EraseBodies(bg, l.mine, -1))
		testkit.OK(t, l.EraseBodies(bg, l.mine, -1)) // and a second run erases nothing
		r := l.report(t, kept)
		if !r.OK || r.Erased != entries || r.Size != entries+1 {
			t.Errorf("%+v", r)
		}
		list, err := l.Entries(bg, l.mine, store.AuditFilter{Limit: 100})
		testkit.OK(t, err)
		if e := list[0]; e.Action != "audit.erase" || len(e.Changes) != 4 || string(e.Changes[2].After) != "9" {
			t.Errorf("%+v", e)
		}
		if e := list[1]; !e.Erased || e.Actor != nil || e.Action != "rule.create" {
			t.Errorf("%+v", e)
		}
		for _, format := range []string{audit.JSONL, audit.CSV} {
			file := l.export(t, format)
			if bytes.Contains(file, []byte("usr_1")) {
				t.Errorf("%s still names the person", format)
			}
			if r, err := audit.VerifyFile(bytes.NewReader(file), "", kept); err != nil || !r.OK || r.Erased != entries {
				t.Errorf("%s: %+v, %v", format, r, err)
			}
		}
		testkit.OK(t, l.EraseAll(bg, 0))
	})
}
