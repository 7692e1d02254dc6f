// Package enginetest gives tests of the engine and of the packages below it code in memory, diffs between two texts, and
// models that answer turn by turn.
//
// It is for tests only. It imports no package whose own tests need it: fakes of package ask are in package asktest.
package enginetest

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

// Files is a snapshot in memory: side, a colon and the path, to the content.
type Files map[string]string

// Blob implements the sources of files.
func (f Files) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	s, ok := f[string(side)+":"+path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(s), nil
}

// Scanner returns one scanner for all tests, because making it takes longer than most of them.
var Scanner = sync.OnceValues(check.NewScanner)

// Unified writes a diff of two texts with one hunk. Git would write it otherwise, but it is valid.
func Unified(path, before, after string) string {
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

// Tree holds the files of a version: path to text.
type Tree map[string]string

// Merged returns the files of both trees. The second one wins.
func Merged(a, b Tree) Tree {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// Searched is a source with a function for its search.
type Searched struct {
	Files
	Find func(ctx context.Context, expression string) ([]snapshot.Match, error)
}

// Search implements [snapshot.Searcher].
func (s Searched) Search(ctx context.Context, q snapshot.Query, _ int) ([]snapshot.Match, error) {
	expressions := q.Expressions
	if len(expressions) > snapshot.MaxExpressions {
		return nil, errors.New("too many expressions")
	}
	var out []snapshot.Match
	for _, e := range expressions {
		found, err := s.Find(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}
