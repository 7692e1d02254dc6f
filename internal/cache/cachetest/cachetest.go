// Package cachetest is the conformance suite of the cache. Every implementation of [cache.Cache] runs it.
package cachetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/errs"
)

// Run runs the suite. open returns a new, empty cache. expire returns once d has passed on the cache's
// clock.
func Run(t *testing.T, open func(t *testing.T) cache.Cache, expire func(t *testing.T, d time.Duration)) {
	tests := []struct {
		name string
		run  func(*testing.T, cache.Cache)
	}{
		{"set, get, delete", setGetDelete},
		{"keys are apart", keysApart},
		{"values are copies", copies},
		{"any bytes", anyBytes},
		{"set only when absent", setNX},
		{"one of many sets when absent", setNXRace},
		{"bad entries are refused", refused},
		{"an ended context", contextOver},
		{"entries expire", func(t *testing.T, c cache.Cache) { expires(t, c, expire) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, open(t)) })
	}
}

var key = cache.Key{Tenant: "ten_1", Kind: "diff", ID: "a", Version: "1"}

func set(t *testing.T, c cache.Cache, k cache.Key, v string) {
	t.Helper()
	if err := c.Set(t.Context(), k, []byte(v), time.Hour); err != nil {
		t.Fatalf("Set: %v", err)
	}
}

func want(t *testing.T, c cache.Cache, k cache.Key, v string) {
	t.Helper()
	if got, ok, err := c.Get(t.Context(), k); err != nil || !ok || string(got) != v {
		t.Fatalf("Get(%v) = %q, %v, %v; want %q", k, got, ok, err, v)
	}
}

func wantMiss(t *testing.T, c cache.Cache, k cache.Key) {
	t.Helper()
	if got, ok, err := c.Get(t.Context(), k); err != nil || ok || got != nil {
		t.Fatalf("Get(%v) = %q, %v, %v; want a miss", k, got, ok, err)
	}
}

func setGetDelete(t *testing.T, c cache.Cache) {
	wantMiss(t, c, key)
	set(t, c, key, "one")
	want(t, c, key, "one")
	set(t, c, key, "two")
	want(t, c, key, "two")
	other := key
	other.ID = "b"
	for range 2 {
		if err := c.Delete(t.Context(), key, other); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		wantMiss(t, c, key)
	}
	if err := c.Delete(t.Context()); err != nil {
		t.Errorf("Delete of nothing: %v", err)
	}
}

func keysApart(t *testing.T, c cache.Cache) {
	keys := []cache.Key{
		key, {Tenant: "ten_2", Kind: "diff", ID: "a", Version: "1"}, {Tenant: cache.Instance, Kind: "diff", ID: "a", Version: "1"},
		{Tenant: "ten_1", Kind: "list", ID: "a", Version: "1"}, {Tenant: "ten_1", Kind: "diff", ID: "a", Version: "2"},
		{Tenant: "ten_1", Kind: "diff", ID: "a:1"}, {Tenant: "ten_1", Kind: "diff", ID: "é\x00\n"},
	}
	for i, k := range keys {
		set(t, c, k, fmt.Sprint(i))
	}
	for i, k := range keys {
		want(t, c, k, fmt.Sprint(i))
	}
	if err := c.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	wantMiss(t, c, key)
	want(t, c, keys[1], "1")
}

func copies(t *testing.T, c cache.Cache) {
	v := []byte("abc")
	if err := c.Set(t.Context(), key, v, time.Hour); err != nil {
		t.Fatal(err)
	}
	v[0] = 'x'
	got, _, _ := c.Get(t.Context(), key)
	want(t, c, key, "abc")
	got[0] = 'y'
	want(t, c, key, "abc")
}

func anyBytes(t *testing.T, c cache.Cache) {
	for _, v := range []string{"", "\x00\r\n\xff", string(bytes.Repeat([]byte{7}, cache.MaxValue))} {
		set(t, c, key, v)
		want(t, c, key, v)
	}
}

func setNX(t *testing.T, c cache.Cache) {
	for i, first := range []bool{true, false, false} {
		ok, err := c.SetNX(t.Context(), key, []byte{byte('a' + i)}, time.Hour)
		if err != nil || ok != first {
			t.Fatalf("SetNX no. %d = %v, %v; want %v", i, ok, err, first)
		}
	}
	want(t, c, key, "a")
	if err := c.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if ok, err := c.SetNX(t.Context(), key, []byte("z"), time.Hour); err != nil || !ok {
		t.Errorf("SetNX after Delete = %v, %v", ok, err)
	}
}

func setNXRace(t *testing.T, c cache.Cache) {
	var wg sync.WaitGroup
	var stored atomic.Int32
	for i := range 20 {
		wg.Go(func() {
			ok, err := c.SetNX(t.Context(), key, []byte{byte(i)}, time.Hour)
			if err != nil {
				t.Errorf("SetNX: %v", err)
			}
			if ok {
				stored.Add(1)
			}
		})
	}
	wg.Wait()
	if n := stored.Load(); n != 1 {
		t.Errorf("%d calls stored the value, want one", n)
	}
}

func refused(t *testing.T, c cache.Cache) {
	ctx, v := t.Context(), []byte("v")
	_, _, getErr := c.Get(ctx, cache.Key{Kind: "diff", ID: "a"})
	_, nxErr := c.SetNX(ctx, key, v, -time.Second)
	calls := map[string]error{
		"Get without a tenant":   getErr,
		"Set without an id":      c.Set(ctx, cache.Key{Tenant: "ten_1", Kind: "diff"}, v, time.Hour),
		"Set without a time":     c.Set(ctx, key, v, 0),
		"SetNX with a past time": nxErr,
		"Set of a large value":   c.Set(ctx, key, make([]byte, cache.MaxValue+1), time.Hour),
		"Delete without a kind":  c.Delete(ctx, key, cache.Key{Tenant: "ten_1", ID: "a"}),
	}
	for name, err := range calls {
		if !errs.Is(err, errs.Internal) {
			t.Errorf("%s: %v, want an internal error", name, err)
		}
	}
	wantMiss(t, c, key)
}

func contextOver(t *testing.T, c cache.Cache) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, getErr := c.Get(ctx, key)
	_, nxErr := c.SetNX(ctx, key, []byte("v"), time.Hour)
	calls := map[string]error{
		"Get": getErr, "SetNX": nxErr, "Set": c.Set(ctx, key, []byte("v"), time.Hour), "Delete": c.Delete(ctx, key),
	}
	for name, err := range calls {
		if !errors.Is(err, context.Canceled) || errors.Is(err, cache.ErrUnavailable) {
			t.Errorf("%s: %v, want the context's error", name, err)
		}
	}
	wantMiss(t, c, key)
}

func expires(t *testing.T, c cache.Cache, expire func(*testing.T, time.Duration)) {
	ctx, short := t.Context(), 30*time.Millisecond
	stays := key
	stays.ID = "stays"
	set(t, c, stays, "s")
	if err := c.Set(ctx, key, []byte("v"), short); err != nil {
		t.Fatal(err)
	}
	tiny := key
	tiny.ID = "tiny"
	if err := c.Set(ctx, tiny, []byte("v"), time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	expire(t, short)
	wantMiss(t, c, key)
	wantMiss(t, c, tiny)
	want(t, c, stays, "s")
	if ok, err := c.SetNX(ctx, key, []byte("w"), time.Hour); err != nil || !ok {
		t.Errorf("SetNX after the time = %v, %v; want it stored", ok, err)
	}
	want(t, c, key, "w")
	// A second Set restarts the time.
	if err := c.Set(ctx, key, []byte("x"), time.Hour); err != nil {
		t.Fatal(err)
	}
	expire(t, short)
	want(t, c, key, "x")
}
