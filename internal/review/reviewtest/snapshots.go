package reviewtest

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review"
)

// Snapshots has one change per head: a line that is added to a file. Lines is
// and Path are changed while no work is under way; its methods may be called at any time.
type Snapshots struct {
	Lines map[string]string // the SHA of a head to the line that it adds; a harmless one if absent
	Path  string            // of the file; a.go if empty

	mu   sync.Mutex
	gate func(ctx context.Context, head string) error
}

// Open implements review.Snapshots.
func (s *Snapshots) Open(ctx context.Context, _ codehost.Reader, _ codehost.Repo, _ int, _, head string) (review.Snapshot, error) {
	s.mu.Lock()
	gate, line := s.gate, s.Lines[head]
	s.mu.Unlock()
	if gate != nil {
		if err := gate(ctx, head); err != nil {
			return nil, err
		}
	}
	if line == "" {
		line = "var answer = 42 // " + head
	}
	return snapshot{cmp.Or(s.Path, "a.go"), line}, nil
}

// Block puts a gate before every snapshot that is opened from now on: its error
// is that of Open. With nil there is none.
func (s *Snapshots) Block(gate func(ctx context.Context, head string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = gate
}

// snapshot adds one line to a file.
type snapshot struct{ path, line string }

func (s snapshot) Diff(context.Context) ([]byte, error) {
	a, b := quoted("a/"+s.path), quoted("b/"+s.path)
	return []byte("diff --git " + a + " " + b + "\nindex 1111111..2222222 100644\n--- " + a + "\n+++ " + b + "\n@@ -1,2 +1,3 @@\n package a\n \n+" + s.line + "\n"), nil
}

// quoted writes a path as git does in a diff (git-config manual, core.quotePath).
func quoted(path string) string {
	out := ""
	for _, b := range []byte(path) {
		if b < ' ' || b >= 0x7f || b == '"' || b == '\\' {
			out += fmt.Sprintf("\\%03o", b)
			continue
		}
		out += string(rune(b))
	}
	if out == path {
		return path
	}
	return `"` + out + `"`
}

func (s snapshot) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	switch {
	case path != s.path:
		return nil, fs.ErrNotExist
	case side == domain.Left:
		return []byte("package a\n\n"), nil
	}
	return []byte("package a\n\n" + s.line + "\n"), nil
}

func (snapshot) Notice() string { return "" }

func (snapshot) Close() error { return nil }

// SecretLine has what a scanner takes for a key; it is put together here so
// that scanners of this repository stay quiet.
func SecretLine() string { return `var key = "` + "AKIA" + "Q3EGRX7N5B2VKJ4M" + `"` }
