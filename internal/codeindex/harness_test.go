package codeindex

import (
	"context"
	"crypto/sha1" //nolint:gosec // names of blobs, as git makes them
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var bg = context.Background()

// files is a tree in memory, by path.
type files map[string]string

// reads counts the contents that a build reads from a tree, and ends a build after some.
type reads struct {
	files
	count int
	end   int // an error after that many; 0 for none
}

func oidOf(text string) string {
	sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(text), text))) //nolint:gosec // as git
	return hex.EncodeToString(sum[:])
}

// AllFiles implements tree.
func (r *reads) AllFiles(_ context.Context, _ string, limit int) (out []snapshot.Entry, err error) {
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		if len(out) < limit {
			text := r.files[path]
			out = append(out, snapshot.Entry{Path: path, Mode: 0o100644, OID: oidOf(text), Size: int64(len(text))})
		}
	}
	return out, nil
}

// Content implements tree.
func (r *reads) Content(_ context.Context, e snapshot.Entry, limit int) ([]byte, error) {
	r.count++
	if r.end > 0 && r.count > r.end {
		return nil, context.Canceled
	}
	text, there := r.files[e.Path]
	if !there || len(text) > limit {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

// bench is a repository of a tenant with a service.
type bench struct {
	*Service
	t      *testing.T
	tenant domain.Tenant
	repo   store.Repository
}

func newBench(t *testing.T, s *store.Store) *bench {
	w := storetest.Seed(t, s)
	return &bench{t: t, tenant: w.Tenant, repo: w.Repository, Service: New(Config{Store: s, Logger: slog.New(slog.DiscardHandler),
		Scan: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }})}
}

func (b *bench) row() store.CodeIndex {
	b.t.Helper()
	row, err := b.Store.OpenCodeIndex(bg, b.tenant, b.repo.ID, b.repo.DefaultBranch)
	testkit.OK(b.t, err)
	return row
}

// builder returns a build of a tree.
func (b *bench) builder(code tree) *build {
	row := b.row()
	generation := row.NextGeneration
	if generation == 0 {
		generation = row.Generation
	}
	return &build{Service: b.Service, tenant: b.tenant, row: row, generation: generation, code: code, until: time.Now().Add(time.Hour),
		held: func(context.Context) error { return nil }, progress: func(context.Context, int, int) error { return nil }}
}

// index builds a tree and makes it answer searches.
func (b *bench) index(tree files) *reads {
	b.t.Helper()
	r := &reads{files: tree}
	testkit.OK(b.t, b.builder(r).run(bg, "c1"))
	testkit.OK(b.t, b.Store.SwitchCodeIndex(bg, b.tenant, b.row().ID))
	return r
}

// found searches and describes the places.
func (b *bench) found(text string) (out []string) {
	b.t.Helper()
	got, err := b.Search(bg, b.tenant, b.repo, Wanted{Text: text, Limit: 5})
	testkit.OK(b.t, err)
	for _, f := range got.Items {
		name := "-"
		if f.Symbol != nil {
			name = f.Symbol.Name
		}
		out = append(out, fmt.Sprintf("%s:%d %s", f.Path, f.Line, name))
	}
	return out
}
