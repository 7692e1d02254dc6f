package store

import (
	"context"
	"maps"
	"slices"
)

// commitHook is a function that runs at the end of a transaction, with its collected values.
type commitHook struct {
	values []any
	f      func(ctx context.Context, values []any) error
}

// Within reports whether a context carries a transaction of this store.
func (s *Store) Within(ctx context.Context) bool {
	t, ok := ctx.Value(txKey{}).(*txn)
	return ok && t.store == s && !t.done
}

// BeforeCommit registers f to run at the end of the transaction of ctx, after its other work. Each key runs
// once, with all values given under it, and keys run in sorted order. An error of f rolls the transaction
// back. Lock rows that many transactions need here: the locks are held briefly and always taken in the same
// order. Outside a transaction it returns an error.
func (s *Store) BeforeCommit(ctx context.Context, key string, value any, f func(ctx context.Context, values []any) error) error {
	t, ok := ctx.Value(txKey{}).(*txn)
	if !ok || t.store != s || t.done {
		return errTxOver
	}
	if t.last == nil {
		t.last = map[string]*commitHook{}
	}
	if t.last[key] == nil {
		t.last[key] = &commitHook{f: f}
	}
	t.last[key].values = append(t.last[key].values, value)
	return nil
}

// AfterCommit runs f after the transaction of ctx commits, and never after a rollback. Outside a
// transaction it runs f at once.
func (s *Store) AfterCommit(ctx context.Context, f func()) {
	if t, ok := ctx.Value(txKey{}).(*txn); ok && t.store == s && !t.done {
		t.after = append(t.after, f)
		return
	}
	f()
}

func (t *txn) close(ctx context.Context) error {
	for len(t.last) > 0 { // a closing function may register more
		now := t.last
		t.last = nil
		for _, key := range slices.Sorted(maps.Keys(now)) {
			if err := now[key].f(ctx, now[key].values); err != nil {
				return err
			}
		}
	}
	return nil
}
