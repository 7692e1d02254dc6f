package reviewtest

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Snapshots has one change for each head: a line that is added to a file. Lines and Path are changed while
// no work is under way; its methods may be called at any time.
type Snapshots struct {
	Lines map[string]string // the SHA of a head to the line that it adds; the default is a harmless line
	Path  string            // of the file; the default is a.go
	// Beyond lists merge bases against which a change also adds b.go, with this line. Against other bases
	// b.go already exists, with the line of "".
	Beyond map[string]string
	// Base holds the files of the target branch by commit. Other commits cannot be read.
	Base     map[string]map[string]string
	Unlisted bool // the files of the target branch cannot be listed

	mu   sync.Mutex
	gate func(ctx context.Context, head string) error
}

// Open implements review.Snapshots.
func (s *Snapshots) Open(ctx context.Context, _ codehost.Reader, _ codehost.Repo, _ int, mergeBase, head string,
	_ ...string) (review.Snapshot, error) {
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
	return change{cmp.Or(s.Path, "a.go"), line, s.Beyond[mergeBase], s.Beyond[""], s.Base, s.Unlisted}, nil
}

// Change returns the change of a pull request's head as a host would return it.
func (s *Snapshots) Change(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int) ([]byte, error) {
	pr, err := host.PullRequest(ctx, repo, number)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return change{cmp.Or(s.Path, "a.go"), cmp.Or(s.Lines[pr.HeadSHA], "var answer = 42 // "+pr.HeadSHA), "", "", s.Base, s.Unlisted}.Diff(ctx)
}

// Block puts a gate before every snapshot that is opened from now on. Open returns the gate's error. nil
// removes the gate.
func (s *Snapshots) Block(gate func(ctx context.Context, head string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = gate
}

// change adds one line to a file, and perhaps another file.
type change struct {
	path, line   string
	beyond, both string // the line of b.go that the change adds, or that was there before
	base         map[string]map[string]string
	unlisted     bool
}

func (s change) Diff(context.Context) ([]byte, error) {
	a, b := quoted("a/"+s.path), quoted("b/"+s.path)
	diff := "diff --git " + a + " " + b + "\nindex 1111111..2222222 100644\n--- " + a + "\n+++ " + b +
		"\n@@ -1,2 +1,3 @@\n " + s.opening() + "\n \n+" + s.line + "\n"
	if s.beyond != "" {
		diff += "diff --git a/b.go b/b.go\nnew file mode 100644\nindex 0000000..3333333\n--- /dev/null\n+++ b/b.go\n@@ -0,0 +1,3 " +
			"@@\n+package a\n+\n+" + s.beyond + "\n"
	}
	return []byte(diff), nil
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

func (s change) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	switch {
	case path == "b.go" && cmp.Or(s.both, s.beyond) != "" && (side == domain.Right || s.beyond == ""):
		return []byte("package a\n\n" + cmp.Or(s.both, s.beyond) + "\n"), nil
	case path != s.path:
		return nil, fs.ErrNotExist
	case side == domain.Left:
		return []byte(s.opening() + "\n\n"), nil
	}
	return []byte(s.opening() + "\n\n" + s.line + "\n"), nil
}

// opening is the first line of the file.
func (s change) opening() string {
	if strings.HasSuffix(s.path, ".yaml") {
		return "# settings"
	}
	return "package a"
}

// At implements review.Snapshot.
func (s change) At(commit string) guideline.Tree {
	files, there := s.base[commit]
	if !there {
		return nil
	}
	return tree{files, s.unlisted}
}

// tree is one version of the files.
type tree struct {
	files    map[string]string
	unlisted bool
}

func (t tree) List(_ context.Context, paths ...string) (out []snapshot.Entry, err error) {
	if t.unlisted {
		return nil, guideline.ErrNoList
	}
	for name, content := range t.files {
		if slices.ContainsFunc(paths, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") }) {
			out = append(out, snapshot.Entry{Path: name, Mode: 0o100644, Size: int64(len(content))})
		}
	}
	return out, nil
}

func (t tree) Blob(_ context.Context, path string) ([]byte, error) {
	content, there := t.files[path]
	if !there {
		return nil, fs.ErrNotExist
	}
	return []byte(content), nil
}

func (change) Notice() string { return "" }

func (change) Close() error { return nil }

// SecretLine returns a line that a scanner takes for a key. It is joined here so that scanners of this
// repository stay quiet.
func SecretLine() string { return `var key = "` + "AKIA" + "Q3EGRX7N5B2VKJ4M" + `"` }
