package lookup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/snapshot"
)

// files is a snapshot in memory: side and path to content.
type files map[string]string

func (f files) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	s, ok := f[string(side)+":"+path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(s), nil
}

// scanner is one for all tests: it takes longer to make than most of them.
var scanner = sync.OnceValues(check.NewScanner)

// unified writes a diff with one hunk that shows both whole files. It is no
// diff that git would write, but a valid one.
func unified(path, before, after string) string {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	a, b = a[:len(a)-1], b[:len(b)-1]
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < len(a)-same && tail < len(b)-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	from := max(same-3, 0)
	to := min(tail, 3)
	var out strings.Builder
	fmt.Fprintf(&out, "diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n", path)
	fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", from+1, len(a)-from-tail+to, from+1, len(b)-from-tail+to)
	for _, l := range a[from:same] {
		out.WriteString(" " + l)
	}
	for _, l := range a[same : len(a)-tail] {
		out.WriteString("-" + l)
	}
	for _, l := range b[same : len(b)-tail] {
		out.WriteString("+" + l)
	}
	for _, l := range a[len(a)-tail : len(a)-tail+to] {
		out.WriteString(" " + l)
	}
	return out.String()
}

// tree is the files of a version: path to text.
type tree map[string]string

func merged(a, b tree) tree {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// searched is a source whose search is a function.
type searched struct {
	files
	search func(ctx context.Context, expression string) ([]snapshot.Match, error)
}

func (s searched) Search(ctx context.Context, q snapshot.Query, _ int) ([]snapshot.Match, error) {
	expressions := q.Expressions
	if len(expressions) > snapshot.MaxExpressions {
		return nil, errors.New("too many expressions")
	}
	var out []snapshot.Match
	for _, e := range expressions {
		found, err := s.search(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}
