package secret

import (
	"bytes"
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func (m *memory) set(tenant string, wrapped []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows[tenant] = wrapped
}

func TestRewrappedDataKeysNeedOnlyTheNewestKey(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), &memory{}
	old, fresh := NewToken(InstanceKey), NewToken(InstanceKey)
	scope := Scope{"ten_a", "t", "r", "c"}
	running := ring(t, store, fresh, old)
	sealed, err := ring(t, store, old).Seal(ctx, scope, []byte("v"))
	testkit.OK(t, err)
	before := store.rows["ten_a"]
	wrapped, err := running.Rewrap("ten_a", before)
	testkit.OK(t, err)
	if names := running.Keys(); WrappedBy(before) != names[1] || WrappedBy(wrapped) != names[0] || WrappedBy(nil) != "" {
		t.Fatalf("wrapped by %s, then by %s", WrappedBy(before), WrappedBy(wrapped))
	}
	if _, err := running.Rewrap("ten_b", before); !errors.Is(err, ErrSealBroken) {
		t.Errorf("the data keys of another tenant are wrapped: %v", err)
	}
	store.set("ten_a", wrapped)
	got, err := ring(t, store, fresh).Open(ctx, scope, sealed)
	testkit.OK(t, err)
	testkit.Equal(t, "opened by the new key alone", string(got), "v")
}

// A process that holds the data keys in memory opens texts that a newer data key sealed, and seals with
// that key from then on.
func TestAReplacedDataKeyIsSeenByRunningProcesses(t *testing.T) {
	t.Parallel()
	ctx, store, key := t.Context(), &memory{}, NewToken(InstanceKey)
	scope := Scope{"ten_a", "t", "r", "c"}
	running := ring(t, store, key)
	before, err := running.Seal(ctx, scope, []byte("before"))
	testkit.OK(t, err)
	old := store.rows["ten_a"]
	replaced, err := running.ReplaceDataKey("ten_a", old)
	testkit.OK(t, err)
	store.set("ten_a", replaced)
	other := ring(t, store, key)
	after, err := other.Seal(ctx, scope, []byte("after"))
	testkit.OK(t, err)
	primary, err := other.Seals("ten_a", replaced)
	testkit.OK(t, err)
	for name, c := range map[string]struct {
		sealed []byte
		want   string
		newest bool
	}{"before": {before, "before", false}, "after": {after, "after", true}} {
		for who, r := range map[string]*Keyring{"the running process": running, "another": other} {
			got, err := r.Open(ctx, scope, c.sealed)
			if err != nil || string(got) != c.want {
				t.Errorf("%s, sealed %s: %q %v", who, name, got, err)
			}
		}
		if id, ok := SealedWith(c.sealed); !ok || (id == primary) != c.newest {
			t.Errorf("sealed %s with data key %d, primary %d", name, id, primary)
		}
	}
	again, err := running.Seal(ctx, scope, []byte("v"))
	testkit.OK(t, err)
	if id, _ := SealedWith(again); id != primary {
		t.Error("a running process seals with the replaced data key")
	}
	dropped, err := other.DropReplaced("ten_a", replaced)
	testkit.OK(t, err)
	store.set("ten_a", dropped)
	if _, err := ring(t, store, key).Open(ctx, scope, before); !errors.Is(err, ErrSealBroken) {
		t.Errorf("the replaced data key is not gone: %v", err)
	}
	if got, err := ring(t, store, key).Open(ctx, scope, after); err != nil || string(got) != "after" {
		t.Errorf("the newest data key is gone: %v", err)
	}
}

func TestSealedWithKnowsOnlySealedValues(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{"empty": nil, "short": {1, 1, 0, 0, 0}, "another format": {2, 1, 0, 0, 0, 0, 0}, "not of tink": {1, 2, 0, 0, 0, 0, 0}} {
		if _, ok := SealedWith(b); ok {
			t.Errorf("%s is treated as a sealed value", name)
		}
	}
	if id, ok := SealedWith(bytes.Join([][]byte{{1, 1}, {0, 0, 1, 2}}, nil)); !ok || id != 258 {
		t.Errorf("id %d", id)
	}
}
