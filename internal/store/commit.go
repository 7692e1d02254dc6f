package store

import (
	"context"
	"maps"
	"slices"
)

// closing is what a transaction does last.
type closing struct {
	values []any
	f      func(ctx context.Context, values []any) error
}

// Within reports whether a context carries a transaction of this store.
func (s *Store) Within(ctx context.Context) bool {
	t, ok := ctx.Value(txKey{}).(*txn)
	return ok && t.store == s && !t.done
}

// BeforeCommit hands a value to f at the end of the transaction of ctx, after
// everything else that it does: f is called once per key with all values that
// were given under it, and the keys are taken in their order. An error of f
// undoes the transaction. Whoever locks a row that everybody needs locks it
// here: it is held for the shortest time, and in one order by all. Outside of a
// transaction it is an error.
func (s *Store) BeforeCommit(ctx context.Context, key string, value any, f func(ctx context.Context, values []any) error) error {
	t, ok := ctx.Value(txKey{}).(*txn)
	if !ok || t.store != s || t.done {
		return errTxOver
	}
	if t.last == nil {
		t.last = map[string]*closing{}
	}
	if t.last[key] == nil {
		t.last[key] = &closing{f: f}
	}
	t.last[key].values = append(t.last[key].values, value)
	return nil
}

// AfterCommit runs f when the transaction of ctx has been committed, and never
// when it was undone. Outside of a transaction it runs at once.
func (s *Store) AfterCommit(ctx context.Context, f func()) {
	if t, ok := ctx.Value(txKey{}).(*txn); ok && t.store == s && !t.done {
		t.after = append(t.after, f)
		return
	}
	f()
}

func (t *txn) close(ctx context.Context) error {
	for len(t.last) > 0 { // what runs here may give more
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
