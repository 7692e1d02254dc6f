package secret

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
)

// memory is a KeyStore in a map.
type memory struct {
	mu   sync.Mutex
	rows map[string][]byte
	err  error
}

func (m *memory) Load(_ context.Context, tenant string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rows[tenant], m.err
}

// Kept implements [KeyStore] and calls f immediately, because there are no transactions.
func (m *memory) Kept(_ context.Context, f func()) { f() }

func (m *memory) Create(_ context.Context, tenant string, wrapped []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = map[string][]byte{}
	}
	if _, ok := m.rows[tenant]; !ok {
		m.rows[tenant] = wrapped
	}
	return m.rows[tenant], m.err
}

func ring(t *testing.T, store KeyStore, keys ...Secret) *Keyring {
	t.Helper()
	var texts []string
	for _, k := range keys {
		texts = append(texts, k.Reveal())
	}
	r, err := NewKeyring(New(strings.Join(texts, "\n")), store)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSealedValuesOpenOnlyWhereTheyBelong(t *testing.T) {
	t.Parallel()
	ctx, store, key := t.Context(), &memory{}, NewToken(InstanceKey)
	r := ring(t, store, key)
	home := Scope{Tenant: "ten_a", Table: "llm_credentials", Row: "cred_1", Column: "api_key"}
	sealed, err := r.Seal(ctx, home, []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte(canary)) || len(sealed) != len(canary)+46 {
		t.Fatalf("sealed value of %d bytes", len(sealed))
	}
	if again, _ := r.Seal(ctx, home, []byte(canary)); bytes.Equal(again, sealed) {
		t.Fatal("sealing twice must differ")
	}
	// A second process with the same key and store opens it.
	if got, err := ring(t, KeyStoreFuncs{LoadFunc: store.Load, CreateFunc: store.Create}, key).OpenSecret(ctx, home, sealed); err != nil || got.Reveal() != canary {
		t.Fatalf("open: %v", err)
	}
	for name, scope := range map[string]Scope{
		"tenant":        {"ten_b", home.Table, home.Row, home.Column},
		"instance":      {"", home.Table, home.Row, home.Column},
		"table":         {home.Tenant, "apps", home.Row, home.Column},
		"row":           {home.Tenant, home.Table, "cred_2", home.Column},
		"column":        {home.Tenant, home.Table, home.Row, "other"},
		"moved borders": {home.Tenant, home.Table, home.Row + "a", home.Column[1:]},
	} {
		if _, err := r.Open(ctx, scope, sealed); !errors.Is(err, ErrSealBroken) {
			t.Errorf("other %s: %v", name, err)
		}
	}
	for name, bad := range map[string][]byte{"empty": nil, "version": append([]byte{9}, sealed[1:]...), "cut": sealed[:20], "flipped": flipLast(sealed)} {
		if _, err := r.Open(ctx, home, bad); !errors.Is(err, ErrSealBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.Seal(ctx, Scope{Tenant: "t", Table: "x"}, nil); err == nil {
		t.Error("a scope without row and column must be refused")
	}
}

func TestAssociatedDataTellsScopesApart(t *testing.T) {
	t.Parallel()
	seen := map[string]Scope{}
	for _, s := range []Scope{{"a", "b", "c", "d"}, {"", "b", "c", "d"}, {"x", "b", "c", "d"}, {"a", "x", "c", "d"}, {"a", "b", "x", "d"}, {"a", "b", "c", "x"}, {"ab", "b", "c", "d"}, {"a", "bc", "c", "d"}, {"a", "b", "cc", "d"}} {
		ad, err := s.associatedData()
		if other, ok := seen[string(ad)]; ok || err != nil {
			t.Errorf("%v and %v: %v", s, other, err)
		}
		seen[string(ad)] = s
	}
}

func flipLast(b []byte) []byte {
	out := bytes.Clone(b)
	out[len(out)-1] ^= 1
	return out
}

func TestInstanceKeyRotation(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), &memory{}
	first, second := NewToken(InstanceKey), NewToken(InstanceKey)
	scope := Scope{"ten_a", "t", "r", "c"}
	before := ring(t, store, first)
	sealed, err := before.Seal(ctx, scope, []byte("v"))
	if err != nil {
		t.Fatal(err)
	}
	both := ring(t, store, second, first)
	if got, err := both.Open(ctx, scope, sealed); err != nil || string(got) != "v" {
		t.Fatalf("after rotation: %v", err)
	}
	_, err = ring(t, store, second).Open(ctx, scope, sealed)
	if !errors.Is(err, ErrKeyMissing) || strings.Contains(err.Error(), second.Reveal()) {
		t.Fatalf("without the old key: %v", err)
	}
}

// Published reviews carry such codes: the newest key makes them, and codes of older keys are recognised
// by the key's name.
func TestMACsAreThoseOfEachKeyTheNewestFirst(t *testing.T) {
	t.Parallel()
	old, fresh, store := NewToken(InstanceKey), NewToken(InstanceKey), &memory{}
	before, both := ring(t, store, old).MACs("marker", []byte("a")), ring(t, store, fresh, old)
	after := both.MACs("marker", []byte("a"))
	if len(before) != 1 || len(after) != 2 || after[1].Key != before[0].Key || !bytes.Equal(after[1].Sum, before[0].Sum) {
		t.Fatalf("the code of the old key is not the second: %v, %v", before, after)
	}
	if names := both.Keys(); names[0] != after[0].Key || names[1] != after[1].Key || len(names[0]) != 8 {
		t.Errorf("names %v", names)
	}
	for _, other := range [][]byte{after[0].Sum, ring(t, store, old).MACs("other", []byte("a"))[0].Sum, ring(t, store, old).MACs("marker", []byte("b"))[0].Sum} {
		if bytes.Equal(other, before[0].Sum) {
			t.Error("another key, purpose or text has the same code")
		}
	}
}

func TestVerifyFindsALostKey(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), &memory{}
	if err := ring(t, store, NewToken(InstanceKey)).Verify(ctx); err != nil {
		t.Fatal(err)
	}
	other := ring(t, store, NewToken(InstanceKey))
	if err := other.Verify(ctx); !errors.Is(err, ErrKeyMissing) || !strings.Contains(err.Error(), "ASSAY_INSTANCE_KEY") {
		t.Fatalf("want a clear error, got %v", err)
	}
	store.rows["ten_x"] = store.rows[""] // a keyset moved to another tenant
	if _, err := other.Open(ctx, Scope{"ten_x", "t", "r", "c"}, []byte{1, 2}); err == nil {
		t.Fatal("a moved keyset must not open")
	}
	down := errors.New("database down")
	if err := ring(t, &memory{err: down}, NewToken(InstanceKey)).Verify(ctx); !errors.Is(err, down) {
		t.Fatalf("got %v", err)
	}
}

func TestConcurrentFirstUseAgreesOnOneKeyset(t *testing.T) {
	t.Parallel()
	ctx, store, key := t.Context(), &memory{}, NewToken(InstanceKey)
	scope := Scope{"ten_a", "t", "r", "c"}
	sealed := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range sealed {
		r := ring(t, store, key)
		wg.Go(func() { sealed[i], _ = r.Seal(ctx, scope, []byte("v")) })
	}
	wg.Wait()
	r := ring(t, store, key)
	for i, s := range sealed {
		if got, err := r.Open(ctx, scope, s); err != nil || string(got) != "v" {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	raw := make([]byte, 32)
	_, _ = rand.Read(raw)
	b64, tok := base64.StdEncoding.EncodeToString(raw), NewToken(InstanceKey).Reveal()
	for name, c := range map[string]struct {
		in string
		n  int
	}{
		"token": {tok, 1}, "base 64 with line end": {b64 + "\n", 1}, "two": {tok + ", " + b64, 2},
		"url alphabet": {base64.RawURLEncoding.EncodeToString(raw), 1},
		"empty":        {"", 0}, "short": {"abc", 0}, "twice": {tok + "\n" + tok, 0},
		"twice, spelled in two alphabets": {b64 + "," + base64.RawURLEncoding.EncodeToString(raw), 0}, "mistyped": {tok[:len(tok)-1] + "!", 0},
		"session token": {NewToken(Session).Reveal(), 0},
	} {
		keys, err := ParseKeys(New(c.in))
		if len(keys) != c.n || (err == nil) != (c.n > 0) {
			t.Errorf("%s: %d keys, %v", name, len(keys), err)
		}
		if err != nil && len(c.in) > 5 && strings.Contains(err.Error(), strings.TrimSpace(c.in)) {
			t.Errorf("%s: the error shows the key", name)
		}
	}
}
