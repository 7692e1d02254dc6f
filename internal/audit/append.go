package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// errBroken reports that the stored log does not match its signed head. Nothing can be added then, because
// a newly signed head would hide the change.
var errBroken = errors.New("the audit log in the database is not the one that was signed; look at the log's verification, and " +
	"restore the database from a backup")

// append adds entries to a log at the end of a transaction.
func (l *Log) append(ctx context.Context, t domain.Tenant, bodies []entryBody) error {
	key, err := l.key(ctx)
	if err != nil {
		return err
	}
	log, err := l.store.LockAuditLog(ctx, t)
	if err != nil {
		return err
	}
	tree := &tree{ctx: ctx, log: l, tenant: t, fresh: map[int64]tlog.Hash{}}
	if err := l.checkHead(log, tree, key); err != nil {
		return fmt.Errorf("audit log %s: %w", log.ID, err)
	}
	at := max(log.NowUS, log.LastUS)
	first := tlog.StoredHashCount(log.Size)
	var rows []store.AuditEntry
	for i, b := range bodies {
		b.Seq, b.At = log.Size+int64(i), stamp(at)
		row, err := seal(b, at)
		if err != nil {
			return err
		}
		hashes, err := tlog.StoredHashesForRecordHash(b.Seq, tlog.Hash(row.Leaf), tree)
		if err != nil {
			return err
		}
		tree.add(tlog.StoredHashIndex(0, b.Seq), hashes)
		rows = append(rows, row)
	}
	size := log.Size + int64(len(bodies))
	root, err := tlog.TreeHash(size, tree)
	if err != nil {
		return err
	}
	signed, err := key.sign(checkpoint{log.ID, size, root})
	if err != nil {
		return err
	}
	err = l.store.AppendAudit(ctx, t, log.Size, rows, first, tree.made, signed)
	if errs.Is(err, errs.Conflict) { // there are rows after the head
		return fmt.Errorf("audit log %s: %w", log.ID, errBroken)
	}
	if err != nil {
		return err
	}
	l.store.AfterCommit(ctx, func() {
		l.logger.InfoContext(ctx, "audit checkpoint", "log", log.ID, "size", size, "checkpoint", signed)
	})
	return nil
}

// checkHead checks that the stored hashes match the last signed head, before the next head is computed from
// them.
func (l *Log) checkHead(log store.AuditLog, tree *tree, key *signer) error {
	if log.Size == 0 && log.Head == "" {
		return nil
	}
	c, err := openCheckpoint(log.Head, key.verifier)
	if err != nil || c.Log != log.ID || c.Size != log.Size {
		return errBroken
	}
	root, err := tlog.TreeHash(log.Size, tree)
	if errors.Is(err, errHashMissing) || err == nil && root != c.Root {
		return errBroken
	}
	return err
}

// seal builds the row of an entry.
func seal(b entryBody, at int64) (store.AuditEntry, error) {
	text, err := canonical(b)
	if err != nil {
		return store.AuditEntry{}, err
	}
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return store.AuditEntry{}, err
	}
	hash := hashBody(salt, text)
	leaf, err := head{b.Action, b.At, hexa(hash), b.Log, b.Result, b.Seq}.leaf()
	return store.AuditEntry{Seq: b.Seq, AtUS: at, Action: b.Action, Result: b.Result, BodyHash: hash, Salt: salt, Body: text, Leaf: leaf[:],
		ActorKind: b.Actor.Kind, ActorID: b.Actor.ID, TargetKind: b.Target.Kind, TargetID: b.Target.ID}, err
}

// tree reads the hashes of a log: those in the database and those about to be stored.
type tree struct {
	ctx    context.Context // of the transaction; tlog's interface has no context parameter
	log    *Log
	tenant domain.Tenant
	fresh  map[int64]tlog.Hash
	made   [][]byte
}

var errHashMissing = errors.New("audit: a hash of the tree is missing")

func (r *tree) add(first int64, hashes []tlog.Hash) {
	for i, h := range hashes {
		r.fresh[first+int64(i)] = h
		r.made = append(r.made, h[:])
	}
}

// ReadHashes implements [tlog.HashReader].
func (r *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var ask []int64
	for _, i := range indexes {
		if _, ok := r.fresh[i]; !ok {
			ask = append(ask, i)
		}
	}
	rows, err := r.log.store.AuditHashes(r.ctx, r.tenant, ask)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if len(row.Hash) == tlog.HashSize {
			r.fresh[row.Index] = tlog.Hash(row.Hash)
		}
	}
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		h, ok := r.fresh[index]
		if !ok {
			return nil, errHashMissing
		}
		out[i] = h
	}
	return out, nil
}
