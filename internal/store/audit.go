package store

import (
	"context"
	"strconv"

	"github.com/assay-dev/assay/internal/domain"
)

// InstanceLog is the id of the log that belongs to no tenant.
const InstanceLog = "instance"

// LogID returns the id of a tenant's audit log, or of the instance's log for the zero tenant.
func LogID(t domain.Tenant) string {
	if t.ID == "" {
		return InstanceLog
	}
	return t.ID
}

// AuditLog is a row of audit_logs.
type AuditLog struct {
	ID     string
	Size   int64
	Head   string // signed note; "" while empty
	LastUS int64
	NowUS  int64 // the database's clock when the row was read
}

const auditLogColumns = `log_id, size, head, last_us, {now}`

func scanAuditLog(r scanner, v *AuditLog) error {
	return r.Scan(&v.ID, &v.Size, &v.Head, &v.LastUS, &v.NowUS)
}

// AuditEntry is a row of audit_entries. After erasure, Body, Salt and the columns copied from the body are
// empty.
type AuditEntry struct {
	Seq, AtUS            int64
	Action, Result       string
	BodyHash, Salt       []byte
	Body                 string
	Leaf                 []byte
	ActorKind, ActorID   string
	TargetKind, TargetID string
}

const auditColumns = `seq, at_us, action, result, body_hash, salt, body, leaf_hash, actor_kind, actor_id, target_kind, target_id`

func scanAudit(r scanner, v *AuditEntry) error {
	return r.Scan(&v.Seq, &v.AtUS, &v.Action, &v.Result, &v.BodyHash, &v.Salt, text(&v.Body), &v.Leaf, &v.ActorKind, &v.ActorID,
		&v.TargetKind, &v.TargetID)
}

// LockAuditLog reads a log's head and locks out other writers until the transaction ends. It creates a
// missing log, empty.
func (s *Store) LockAuditLog(ctx context.Context, t domain.Tenant) (AuditLog, error) {
	const lock = `SELECT ` + auditLogColumns + ` FROM audit_logs WHERE log_id = $1{forupdate}`
	v, err := first(ctx, s, s.db.Write, scanAuditLog, lock, []any{LogID(t)})
	if !isAbsent(err) {
		return v, err
	}
	if _, err := s.exec(ctx, `INSERT INTO audit_logs (log_id, size, head, last_us) VALUES ($1, 0, '', 0)
		ON CONFLICT (log_id) DO NOTHING`, LogID(t)); err != nil {
		return v, err
	}
	return first(ctx, s, s.db.Write, scanAuditLog, lock, []any{LogID(t)})
}

// AuditLogOf reads a log's head. It returns [errs.NotFound] for a log without entries.
func (s *Store) AuditLogOf(ctx context.Context, t domain.Tenant) (AuditLog, error) {
	return one(ctx, s, scanAuditLog, `SELECT `+auditLogColumns+` FROM audit_logs WHERE log_id = $1`, LogID(t))
}

// AuditLogs lists the ids of all logs.
func (s *Store) AuditLogs(ctx context.Context) ([]string, error) {
	return many(ctx, s, value[string], `SELECT log_id FROM audit_logs ORDER BY log_id`)
}

// AppendAudit adds entries to a log of size entries, adds hashes with indexes starting at first, and sets a
// new head. The caller holds the lock from [Store.LockAuditLog].
func (s *Store) AppendAudit(ctx context.Context, t domain.Tenant, size int64, entries []AuditEntry, first int64, hashes [][]byte,
	head string) error {
	for _, e := range entries {
		if _, err := s.exec(ctx, `INSERT INTO audit_entries (log_id, `+auditColumns+
			`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			LogID(t), e.Seq, e.AtUS, e.Action, e.Result, e.BodyHash, e.Salt, e.Body, e.Leaf, e.ActorKind, e.ActorID, e.TargetKind,
			e.TargetID); err != nil {
			return err
		}
	}
	rows := make([][]any, len(hashes))
	for i, h := range hashes {
		rows[i] = []any{LogID(t), first + int64(i), h}
	}
	if err := insertRows(ctx, s, rows, `INSERT INTO audit_hashes (log_id, idx, hash) VALUES {list}`); err != nil {
		return err
	}
	last := entries[len(entries)-1].AtUS
	return must1(s.exec1(ctx, `UPDATE audit_logs SET size = $3, head = $4, last_us = $5 WHERE log_id = $1 AND size = $2`, LogID(t),
		size, size+int64(len(entries)), head, last))
}

// AuditHash is a hash of a log's tree, at its index.
type AuditHash struct {
	Index int64
	Hash  []byte
}

func scanAuditHash(r scanner, v *AuditHash) error { return r.Scan(&v.Index, &v.Hash) }

// AuditHashes reads the existing hashes at the given indexes of a log's tree, in no particular order.
func (s *Store) AuditHashes(ctx context.Context, t domain.Tenant, indexes []int64) ([]AuditHash, error) {
	return manyIn(ctx, s, scanAuditHash, indexes, `SELECT idx, hash FROM audit_hashes WHERE log_id = $1 AND idx IN ({list})`, LogID(t))
}

// AuditHashesFrom reads the hashes of a log's tree from an index on, in order, at most limit of them.
func (s *Store) AuditHashesFrom(ctx context.Context, t domain.Tenant, from int64, limit int) ([]AuditHash, error) {
	return many(ctx, s, scanAuditHash, `SELECT idx, hash FROM audit_hashes WHERE log_id = $1 AND idx >= $2 ORDER BY idx LIMIT $3`,
		LogID(t), from, limit)
}

// AuditEntriesFrom reads the entries of a log from a place on, in order, at most limit of them.
func (s *Store) AuditEntriesFrom(ctx context.Context, t domain.Tenant, from int64, limit int) ([]AuditEntry, error) {
	return many(ctx, s, scanAudit, `SELECT `+auditColumns+` FROM audit_entries WHERE log_id = $1 AND seq >= $2 ORDER BY seq LIMIT $3`,
		LogID(t), from, limit)
}

// AuditFilter narrows a list of entries; zero fields match everything.
type AuditFilter struct {
	Actor, Action        string
	TargetKind, TargetID string
	Result               string
	FromUS, ToUS         int64  // from inclusive, to exclusive
	Before               *int64 // only places before this one
	Limit                int
}

// AuditEntries lists the entries of a log that match, newest first.
func (s *Store) AuditEntries(ctx context.Context, t domain.Tenant, f AuditFilter) ([]AuditEntry, error) {
	text, args := `SELECT `+auditColumns+` FROM audit_entries WHERE log_id = $1`, []any{LogID(t)}
	and := func(condition string, v any) {
		args = append(args, v)
		text += ` AND ` + condition + ` $` + strconv.Itoa(len(args))
	}
	for _, c := range []struct{ condition, value string }{{"actor_id =", f.Actor}, {"action =", f.Action}, {"target_kind =", f.TargetKind},
		{"target_id =", f.TargetID}, {"result =", f.Result}} {
		if c.value != "" {
			and(c.condition, c.value)
		}
	}
	if f.FromUS != 0 {
		and("at_us >=", f.FromUS)
	}
	if f.ToUS != 0 {
		and("at_us <", f.ToUS)
	}
	if f.Before != nil {
		and("seq <", *f.Before)
	}
	args = append(args, f.Limit)
	return many(ctx, s, scanAudit, text+` ORDER BY seq DESC LIMIT $`+strconv.Itoa(len(args)), args...)
}

// EraseAuditBodies erases body, salt and their copies from at most limit entries older than age
// microseconds, and returns the places of these entries. It skips entries whose action is kept.
func (s *Store) EraseAuditBodies(ctx context.Context, t domain.Tenant, age int64, kept string, limit int) ([]int64, error) {
	return returned(ctx, s, value[int64], `WITH old AS (SELECT seq FROM audit_entries
			WHERE log_id = $1 AND at_us < {now} - $2 AND body IS NOT NULL AND action <> $3 ORDER BY seq LIMIT $4{forupdate})
		UPDATE audit_entries SET body = NULL, salt = NULL, actor_kind = '', actor_id = '', target_kind = '', target_id = ''
		WHERE log_id = $1 AND seq IN (SELECT seq FROM old) AND body IS NOT NULL RETURNING seq`, LogID(t), age, kept, limit)
}

// AuditKey reads the sealed key that signs heads. It returns nil if there is no key.
func (s *Store) AuditKey(ctx context.Context) ([]byte, error) {
	b, err := one(ctx, s, value[[]byte], `SELECT sealed FROM audit_keys WHERE name = 'head'`)
	if isAbsent(err) {
		return nil, nil
	}
	return b, err
}

// CreateAuditKey stores the sealed key that signs heads unless a key is stored, and returns the stored key.
func (s *Store) CreateAuditKey(ctx context.Context, sealed []byte) ([]byte, error) {
	if _, err := s.exec(ctx, `INSERT INTO audit_keys (name, sealed, created_us) VALUES ('head', $1, {now})
		ON CONFLICT (name) DO NOTHING`, sealed); err != nil {
		return nil, err
	}
	return first(ctx, s, s.db.Write, value[[]byte], `SELECT sealed FROM audit_keys WHERE name = 'head'`, nil)
}
