package audit

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// pageSize is the number of rows per query.
const pageSize = 500

// Verify recomputes the log of a tenant, or the instance's log for the zero tenant, and reports its
// defects. older is a checkpoint that was kept outside the database, or "". The memory does not grow with
// the log. Verify returns an error if it cannot verify the log, [errs.Invalid] if older is not a
// checkpoint.
func (l *Log) Verify(ctx context.Context, t domain.Tenant, older string) (LogReport, error) {
	key, err := l.key(ctx)
	if err != nil {
		return LogReport{}, err
	}
	log, err := l.store.AuditLogOf(ctx, t)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return LogReport{}, err
	}
	c := newChecker(store.LogID(t), key.verifier)
	c.signed(log.Head, log.Size)
	if older != "" {
		if err := c.compare(older); err != nil {
			return LogReport{}, &errs.Error{Kind: errs.Invalid, Code: "invalid", Message: "Something in the request is not as the description says.",
				Fields: []errs.Field{{Pointer: "query/checkpoint", Message: err.Error()}}}
		}
	}
	stored := &hashes{ctx: ctx, log: l, tenant: t}
	differ := numberSet{}
	for next := int64(0); next < c.Size; {
		rows, err := l.store.AuditEntriesFrom(ctx, t, next, pageSize)
		if err != nil {
			return LogReport{}, err
		}
		for _, row := range rows {
			if row.Seq >= c.Size {
				break
			}
			leaf := c.add(fromRow(c.Log, row))
			kept, err := stored.leaf(row.Seq)
			if err != nil {
				return LogReport{}, err
			}
			if kept != leaf {
				differ.add(row.Seq)
			}
		}
		if len(rows) < pageSize {
			break
		}
		next = rows[len(rows)-1].Seq + 1
	}
	if _, err := stored.leaf(c.Size - 1); err != nil {
		return LogReport{}, err
	}
	if err := l.checkRowsAfterHead(ctx, t, c); err != nil {
		return LogReport{}, err
	}
	c.gaps()
	c.hashes(stored, differ)
	return c.done(), nil
}

// hashes reports entries that differ from the stored hashes of the tree.
func (c *checker) hashes(stored *hashes, differ numberSet) {
	if c.head != nil && c.tree.n == c.head.Size && c.tree.root() == c.head.Root { // the entries are right
		if len(differ.spans) > 0 || stored.wrong {
			c.find(treeWrong, -1, "The entries are those that were signed, but the stored hashes of the tree are not theirs.")
		}
		return
	}
	if len(c.Findings) > 0 {
		return
	}
	for _, s := range differ.spans {
		c.find(altered, s[0], "The entry is not the one whose hash is in the tree.")
		if n := len(c.Findings) - 1; !c.More && s[1]-s[0] > 1 {
			c.Findings[n].Count = s[1] - s[0]
		}
	}
}

// checkRowsAfterHead reports rows after the head. It reads the head again after the rows, because entries that are
// written meanwhile have a newer head.
func (l *Log) checkRowsAfterHead(ctx context.Context, t domain.Tenant, c *checker) error {
	rows, err := l.store.AuditEntriesFrom(ctx, t, c.Size, pageSize)
	if err != nil {
		return err
	}
	more, err := l.store.AuditHashesFrom(ctx, t, tlog.StoredHashCount(c.Size), pageSize)
	if err != nil {
		return err
	}
	now, err := l.store.AuditLogOf(ctx, t)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return err
	}
	size := max(now.Size, c.Size)
	for _, row := range rows {
		if row.Seq >= size {
			written := row.Seq
			if b, ok := fromRow(c.Log, row).open(); ok && b.Log == c.Log {
				written = b.Seq
			}
			c.place(written, row.Seq)
		}
	}
	if len(more) > 0 && more[len(more)-1].Index >= tlog.StoredHashCount(size) {
		c.find(truncated, size, "There are hashes of newer entries than the signed head vouches for: the head was put back to an older one.")
	}
	return nil
}

func fromRow(log string, row store.AuditEntry) record {
	r := record{head: head{row.Action, stamp(row.AtUS), hexa(row.BodyHash), log, row.Result, row.Seq}, salt: row.Salt, body: row.Body}
	if len(row.Leaf) == tlog.HashSize {
		r.leaf = tlog.Hash(row.Leaf)
	}
	r.copies = func(b entryBody) string {
		switch {
		case row.ActorKind != b.Actor.Kind || row.ActorID != b.Actor.ID:
			return "The actor"
		case row.TargetKind != b.Target.Kind || row.TargetID != b.Target.ID:
			return "The target"
		}
		return ""
	}
	return r
}

// hashes reads the stored hashes of a tree in order, and checks that the inner hashes follow from the
// leaves.
type hashes struct {
	ctx    context.Context // of one verification
	log    *Log
	tenant domain.Tenant
	page   []store.AuditHash
	next   int64 // index at which the next page starts
	tree   frontier
	last   tlog.Hash // the last leaf that was read
	wrong  bool      // a hash is missing or does not follow from the others
	end    bool
}

// leaf returns the stored hash of an entry, or the zero hash if it is missing. Calls must have rising seq.
func (h *hashes) leaf(seq int64) (tlog.Hash, error) {
	for h.tree.n <= seq && !h.end {
		leaf, ok, err := h.at(tlog.StoredHashIndex(0, h.tree.n))
		if err != nil {
			return tlog.Hash{}, err
		}
		h.wrong = h.wrong || !ok
		first := true
		h.tree.add(leaf, func(index int64, want tlog.Hash) {
			if first || err != nil {
				first = false
				return
			}
			var got tlog.Hash
			got, ok, err = h.at(index)
			h.wrong = h.wrong || !ok || got != want
		})
		if err != nil {
			return tlog.Hash{}, err
		}
		h.last = leaf
	}
	if h.tree.n != seq+1 {
		return tlog.Hash{}, nil
	}
	return h.last, nil
}

func (h *hashes) at(index int64) (tlog.Hash, bool, error) {
	for {
		for len(h.page) > 0 && h.page[0].Index < index {
			h.page = h.page[1:]
		}
		if len(h.page) > 0 {
			row := h.page[0]
			if row.Index != index || len(row.Hash) != tlog.HashSize {
				return tlog.Hash{}, false, nil
			}
			return tlog.Hash(row.Hash), true, nil
		}
		if h.end {
			return tlog.Hash{}, false, nil
		}
		rows, err := h.log.store.AuditHashesFrom(h.ctx, h.tenant, max(h.next, index), 4*pageSize)
		if err != nil {
			return tlog.Hash{}, false, err
		}
		h.page, h.end = rows, len(rows) == 0
		if len(rows) > 0 {
			h.next = rows[len(rows)-1].Index + 1
		}
	}
}
