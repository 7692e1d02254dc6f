package codeindex

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestFigures measures an index of this repository, copied ASSAY_INDEX_COPIES times (docs/performance/code-index.md). Every copy
// has names of its own. It judges no time.
func TestFigures(t *testing.T) {
	copies, err := strconv.Atoi(os.Getenv("ASSAY_INDEX_COPIES"))
	if err != nil {
		t.Skip("ASSAY_INDEX_COPIES is not set")
	}
	own, tree, lines := ownTree(t), files{}, 0
	names := definitions(own, 50)
	for path, text := range own {
		for i := range copies {
			if i > 0 {
				text = strings.ReplaceAll(text, "Store", fmt.Sprintf("Store%d", i))
				path = fmt.Sprintf("copy%d/%s", i, path)
			}
			tree[path] = text
			lines += strings.Count(text, "\n")
		}
	}
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		b := newBench(t, s)
		stop, most := watchMemory(t)
		took := func(what string, f func()) {
			start := time.Now()
			f()
			t.Logf("%s: %v", what, time.Since(start).Round(time.Millisecond))
		}
		took(fmt.Sprintf("build of %d files, %d lines", len(tree), lines), func() { b.index(tree) })
		stop()
		row := b.row()
		size, err := s.CodeIndexBytes(bg, b.tenant, row.ID, row.Generation)
		testkit.OK(t, err)
		t.Logf("bytes in the database: %d; most memory: %d MB", size, *most>>20)
		changed := 0
		for path := range tree {
			if changed == 20 {
				break
			}
			tree[path] += "\n// changed\n"
			changed++
		}
		took("update of 20 files", func() { b.index(tree) })
		raw("ANALYZE") // as the autovacuum of a database that is used
		var times []time.Duration
		for _, d := range names {
			for _, q := range []string{d.query, strings.Join(identifierParts(d.query), " "), "error context return"} {
				start := time.Now()
				_, err := b.Search(context.Background(), b.tenant, b.repo, Wanted{Text: q, Limit: 20})
				testkit.OK(t, err)
				times = append(times, time.Since(start))
			}
		}
		slices.Sort(times)
		t.Logf("%d queries: median %v, p95 %v", len(times), times[len(times)/2], times[len(times)*95/100])
	})
}

func identifierParts(word string) (out []string) {
	identifiers(word, func(w string) { parts(w, func(p string) { out = append(out, p) }) })
	return out
}

// watchMemory samples the heap until stop is called.
func watchMemory(t *testing.T) (stop func(), most *uint64) {
	done, over := make(chan struct{}), make(chan struct{})
	most = new(uint64)
	go func() {
		defer close(over)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			*most = max(*most, m.HeapInuse)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	t.Cleanup(func() { <-over })
	return func() { close(done); <-over }, most
}
