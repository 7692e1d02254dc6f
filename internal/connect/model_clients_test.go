package connect

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/testkit"
)

// fresh opens a client that differs from every other.
func fresh() (llm.Client, error) { return &busy{}, nil }

// A key that takes long to open does not delay other keys.
func TestKeysAreOpenedBesideEachOther(t *testing.T) {
	t.Parallel()
	var o modelClients
	inside, ready, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if _, err := o.open("slow", 1, func() (llm.Client, error) { close(inside); <-ready; return fresh() }); err != nil {
			t.Error(err)
		}
	}()
	<-inside
	_, err := o.open("other", 1, fresh)
	testkit.OK(t, err)
	close(ready)
	<-done
}

func TestOpenedKeys(t *testing.T) {
	t.Parallel()
	var o modelClients
	get := func(id string, version int64) llm.Client {
		c, err := o.open(id, version, fresh)
		testkit.OK(t, err)
		return c
	}
	if _, err := o.open("a", 1, func() (llm.Client, error) { return nil, errors.New("no") }); err == nil {
		t.Error("a failure was kept")
	}
	first := get("a", 1)
	testkit.Equal(t, "kept", get("a", 1) == first, true)
	second := get("a", 2)
	testkit.Equal(t, "a new version is opened", second != first, true)
	testkit.Equal(t, "a reader of the older version", get("a", 1) != second, true)
	testkit.Equal(t, "the newer one stays", get("a", 2) == second, true)

	// Callers that open a key at the same time get the same client, and therefore share its limits.
	var group sync.WaitGroup
	var all sync.Map
	var begun sync.WaitGroup
	begun.Add(8)
	for range 8 {
		group.Go(func() {
			c, err := o.open("together", 1, func() (llm.Client, error) { begun.Done(); begun.Wait(); return fresh() })
			if err != nil {
				t.Error(err)
			}
			all.Store(c, true)
		})
	}
	group.Wait()
	n := 0
	all.Range(func(any, any) bool { n++; return true })
	testkit.Equal(t, "clients", n, 1)

	for i := range maxOpened + 5 {
		get(fmt.Sprint(i), 1)
	}
	testkit.Equal(t, "kept", o.kept.Len(), maxOpened)
	testkit.Equal(t, "a client that was not used for long is opened again", get("a", 2) != second, true)
}
