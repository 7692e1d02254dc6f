package store

import (
	"context"
	"encoding/hex"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
)

// LoadKeyset reads the wrapped data keys of an owner. It returns nil if the owner has no keyset.
func (s *Store) LoadKeyset(ctx context.Context, owner string) ([]byte, error) {
	b, err := one(ctx, s, value[[]byte], `SELECT wrapped FROM keysets WHERE owner = $1`, owner)
	if isAbsent(err) {
		return nil, nil
	}
	return b, err
}

// CreateKeyset stores the wrapped data keys of an owner if it has no keyset, and returns the stored keys.
// It refuses keys that a retired instance key wrapped.
func (s *Store) CreateKeyset(ctx context.Context, owner string, wrapped []byte) ([]byte, error) {
	var kept []byte
	err := s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockInstanceKey(ctx, secret.WrappedBy(wrapped)); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `INSERT INTO keysets (owner, wrapped, created_us) VALUES ($1, $2, {now})
			ON CONFLICT (owner) DO NOTHING`, owner, wrapped); err != nil {
			return err
		}
		var err error
		kept, err = first(ctx, s, s.db.Write, value[[]byte], `SELECT wrapped FROM keysets WHERE owner = $1`, []any{owner})
		return err
	})
	return kept, err
}

// Keyset holds the wrapped data keys of a tenant or of the instance.
type Keyset struct {
	Owner      string // a tenant's id; "" for the instance
	Wrapped    []byte
	BornKey    string // name of the instance key that first wrapped the current data key
	ReplacedUS int64  // when the current data key replaced another; 0 if there is only one
	NowUS      int64  // the time of reading
}

func scanKeyset(r scanner, k *Keyset) error {
	err := r.Scan(&k.Owner, &k.Wrapped, &k.BornKey, number(&k.ReplacedUS), &k.NowUS)
	if k.BornKey == "" {
		k.BornKey = secret.WrappedBy(k.Wrapped)
	}
	return err
}

const keysetColumns = `owner, wrapped, born_key, replaced_us, {now}`

// Keysets lists at most limit keysets in the order of their owners, starting after the owner after. The
// list for "" starts with the instance's keyset. Its owner is also "", so a limit below 2 makes no progress.
func (s *Store) Keysets(ctx context.Context, after string, limit int) ([]Keyset, error) {
	return many(ctx, s, scanKeyset, `SELECT `+keysetColumns+` FROM keysets
		WHERE ($1 = '' OR owner > $1) ORDER BY owner LIMIT $2`, after, limit)
}

// KeysetOf reads the keyset of an owner.
func (s *Store) KeysetOf(ctx context.Context, owner string) (Keyset, error) {
	return first(ctx, s, s.db.Write, scanKeyset, `SELECT `+keysetColumns+` FROM keysets WHERE owner = $1`, []any{owner})
}

// RewrapKeyset stores the same data keys of an owner, wrapped by another instance key. It returns false and
// changes nothing if another process changed the keyset since k was read.
func (s *Store) RewrapKeyset(ctx context.Context, k Keyset, wrapped []byte) (bool, error) {
	return s.exec1(ctx, `UPDATE keysets SET wrapped = $2, born_key = $3
		WHERE owner = $1 AND wrapped = $4`, k.Owner, wrapped, k.BornKey, k.Wrapped)
}

// ReplaceKeyset stores the data keys of an owner with a new current data key. Its result is as in
// [Store.RewrapKeyset].
func (s *Store) ReplaceKeyset(ctx context.Context, k Keyset, wrapped []byte) (bool, error) {
	return s.exec1(ctx, `UPDATE keysets SET wrapped = $2, born_key = $3, replaced_us = {now}
		WHERE owner = $1 AND wrapped = $4`, k.Owner, wrapped, secret.WrappedBy(wrapped), k.Wrapped)
}

// TrimKeyset stores the data keys of an owner without the replaced ones. Its result is as in
// [Store.RewrapKeyset].
func (s *Store) TrimKeyset(ctx context.Context, k Keyset, wrapped []byte) (bool, error) {
	return s.exec1(ctx, `UPDATE keysets SET wrapped = $2, born_key = $3, replaced_us = NULL
		WHERE owner = $1 AND wrapped = $4`, k.Owner, wrapped, k.BornKey, k.Wrapped)
}

// InstanceKey is a recorded instance key, identified by its name.
type InstanceKey struct {
	ID                 string
	FirstUS, RetiredUS int64 // RetiredUS is 0 while the key may be used
}

// InstanceKeys lists the recorded instance keys, oldest first.
func (s *Store) InstanceKeys(ctx context.Context) ([]InstanceKey, error) {
	return many(ctx, s, func(r scanner, k *InstanceKey) error { return r.Scan(&k.ID, &k.FirstUS, number(&k.RetiredUS)) },
		`SELECT id, first_us, retired_us FROM instance_keys ORDER BY first_us, id`)
}

// RetireKey records that an instance key must not be used any more. It waits for transactions that use the
// key, so that a later scan in the same transaction sees their rows. It returns false if the key was
// already retired.
func (s *Store) RetireKey(ctx context.Context, id string) (bool, error) {
	if err := s.recordInstanceKey(ctx, id); err != nil {
		return false, err
	}
	return s.exec1(ctx, `UPDATE instance_keys SET retired_us = {now} WHERE id = $1 AND retired_us IS NULL`, id)
}

func (s *Store) recordInstanceKey(ctx context.Context, id string) error {
	_, err := s.exec(ctx, `INSERT INTO instance_keys (id, first_us) VALUES ($1, {now}) ON CONFLICT (id) DO NOTHING`, id)
	return err
}

// CheckInstanceKey returns [errs.Conflict] if an instance key is retired.
func (s *Store) CheckInstanceKey(ctx context.Context, key string) error {
	retired, err := one(ctx, s, value[int64], `SELECT COALESCE(retired_us, 0) FROM instance_keys WHERE id = $1`, key)
	if isAbsent(err) {
		return nil
	}
	return refuseRetired(key, retired, err)
}

// lockInstanceKey is like [Store.CheckInstanceKey] in a transaction, and prevents the key's retirement until the transaction
// ends. An empty key is always allowed.
func (s *Store) lockInstanceKey(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	look := func() (int64, error) {
		return first(ctx, s, s.db.Write, value[int64], `SELECT COALESCE(retired_us, 0) FROM instance_keys WHERE id = $1{forshare}`, []any{key})
	}
	retired, err := look()
	if isAbsent(err) {
		if err := s.recordInstanceKey(ctx, key); err != nil {
			return err
		}
		retired, err = look()
	}
	return refuseRetired(key, retired, err)
}

func refuseRetired(key string, retired int64, err error) error {
	if err != nil || retired == 0 {
		return err
	}
	return errs.New(errs.Conflict, "key_retired", "The instance key %s was retired: put the newest key first "+
		"(ASSAY_INSTANCE_KEY, or instance.key in the data directory) and start the service again.", key)
}

// KeyCount counts the rows made with an instance key.
type KeyCount struct {
	Key string // its name
	N   int64
}

func scanKeyCount(r scanner, c *KeyCount) error { return r.Scan(&c.Key, &c.N) }

// KeysetKeys counts the keysets by the instance key that wraps them.
func (s *Store) KeysetKeys(ctx context.Context) ([]KeyCount, error) {
	return many(ctx, s, func(r scanner, c *KeyCount) error {
		var id []byte
		err := r.Scan(&id, &c.N)
		c.Key = hex.EncodeToString(id)
		return err
	}, `SELECT substr(wrapped, 1, 4), COUNT(*) FROM keysets GROUP BY 1 ORDER BY 1`)
}

// markedPulls selects the pull requests whose marks can still be read, with the keys of these marks: open ones,
// and those with an unfinished publication or answer.
const markedPulls = `SELECT p.mark_key AS mark_key, q.tenant_id AS tenant_id, q.id AS pull, q.repository_id AS repository,
	q.number AS number
		FROM publications p JOIN review_runs r ON r.tenant_id = p.tenant_id AND r.id = p.run_id
		JOIN pull_requests q ON q.tenant_id = r.tenant_id AND q.id = r.pull_request_id
		WHERE q.state = 'open' OR p.phase NOT IN ('PUBLISHED', 'ABANDONED') OR p.settle_us IS NOT NULL OR p.clean_us IS NOT NULL
	UNION SELECT a.mark_key, q.tenant_id, q.id, q.repository_id, q.number FROM command_answers a
		JOIN pull_requests q ON q.tenant_id = a.tenant_id AND q.id = a.pull_request_id
		WHERE q.state = 'open' OR a.state = 'waiting'
	UNION SELECT c.mark_key, q.tenant_id, q.id, q.repository_id, q.number FROM ci_comments c
		JOIN pull_requests q ON q.tenant_id = c.tenant_id AND q.id = c.pull_request_id WHERE q.state = 'open' AND c.state <> 'gone'`

// KeyMarks counts, by instance key, the pull requests whose marks can still be read. The key "" stands for
// marks from before keys were recorded.
func (s *Store) KeyMarks(ctx context.Context) ([]KeyCount, error) {
	return many(ctx, s, scanKeyCount, `SELECT mark_key, COUNT(*) FROM (`+markedPulls+`) m GROUP BY mark_key ORDER BY mark_key`)
}

// MarkedPulls lists at most limit pull requests whose marks from an instance key can still be read, as
// owner/name#number.
func (s *Store) MarkedPulls(ctx context.Context, key string, limit int) ([]string, error) {
	return many(ctx, s, value[string], `SELECT repo.owner || '/' || repo.name || '#' || CAST(m.number AS TEXT)
		FROM (`+markedPulls+`) m JOIN repositories repo ON repo.tenant_id = m.tenant_id AND repo.id = m.repository WHERE m.mark_key = `+
		`$1 ORDER BY m.pull LIMIT $2`, key, limit)
}
