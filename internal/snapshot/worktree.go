package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// maxWorktree bounds the files that are read because they may have changed.
const maxWorktree = 20_000

// indexed is an entry of the checkout's index with what git remembers of the file.
type indexed struct {
	mode, oid, path  string
	mtimeSec, mtimeN int64
	size             int64
}

// worktree stores the files of the checkout as a tree. Contents are taken as
// they are: no filter of the checkout (clean, end of line) runs. A file that git's
// index says is unchanged keeps its object.
func (l *Local) worktree(ctx context.Context) (string, error) {
	list, written, err := l.readIndex(ctx)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return "", fmt.Errorf("open the checkout: %w", err)
	}
	defer root.Close() // a link that leads out of the checkout is not followed
	var index bytes.Buffer
	read := 0
	put := func(mode, oid, path string) { fmt.Fprintf(&index, "%s %s\t%s\x00", mode, oid, path) }
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if diff.CheckPath(e.path) != nil {
			continue
		}
		if e.mode == "160000" {
			put(e.mode, e.oid, e.path)
			continue
		}
		info, err := root.Lstat(e.path)
		if err != nil || info.IsDir() {
			continue // deleted
		}
		mt := info.ModTime()
		if e.oid != "" && info.Size() == e.size && mt.Unix() == e.mtimeSec && int64(mt.Nanosecond()) == e.mtimeN && mt.UnixNano() < written {
			put(e.mode, e.oid, e.path)
			continue
		}
		if read++; read > maxWorktree {
			return "", tooLarge("number of changed files")
		}
		mode, oid, err := l.store1(ctx, root, e, info)
		if err != nil {
			return "", err
		}
		if mode != "" {
			put(mode, oid, e.path)
		}
	}
	own := []string{"GIT_INDEX_FILE=" + filepath.Join(l.tmp, "index")}
	_ = os.Remove(filepath.Join(l.tmp, "index"))
	if _, err := l.git.run(ctx, call{dir: l.store.dir, env: own, args: []string{"update-index", "-z", "--index-info"}, stdin: index.Bytes(), what: "index"}); err != nil {
		return "", fmt.Errorf("store the working files: %w", err)
	}
	out, err := l.git.run(ctx, call{dir: l.store.dir, env: own, args: []string{"write-tree", "--missing-ok"}, what: "tree"})
	if err != nil {
		return "", fmt.Errorf("store the working files: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// store1 writes one file as an object. Mode "" means that it is no file.
func (l *Local) store1(ctx context.Context, root *os.Root, e indexed, info fs.FileInfo) (mode, oid string, err error) {
	var content []byte
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(e.path)
		if err != nil {
			return "", "", nil
		}
		mode, content = "120000", []byte(target)
	case info.Mode().IsRegular():
		if mode = "100644"; info.Mode()&0o111 != 0 {
			mode = "100755"
		}
		f, err := root.Open(e.path)
		if err != nil {
			return "", "", errs.Wrap(err, errs.Unavailable, "unreadable_file", "A file of the checkout cannot be read.")
		}
		content, err = io.ReadAll(io.LimitReader(f, DefaultMaxDiff+1))
		_ = f.Close()
		if err != nil {
			return "", "", errs.Wrap(err, errs.Unavailable, "unreadable_file", "A file of the checkout cannot be read.")
		}
		if len(content) > DefaultMaxDiff {
			if e.oid == "" {
				return "", "", nil // an untracked file of that size is no source
			}
			return e.mode, e.oid, nil
		}
	default:
		return "", "", nil
	}
	out, err := l.git.run(ctx, call{dir: l.store.dir, args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, stdin: content, what: "object"})
	if err != nil {
		return "", "", fmt.Errorf("store a working file: %w", err)
	}
	return mode, strings.TrimSpace(string(out)), nil
}

// readIndex lists the index and the untracked files that are not ignored, and
// tells when the index was written (nanoseconds): a file that is not older may
// have changed in the same instant (git's "racy" problem).
func (l *Local) readIndex(ctx context.Context) (list []indexed, written int64, err error) {
	// A copy: git must not refresh the checkout's own index.
	raw, err := os.ReadFile(l.index)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read the index: %w", err)
	}
	own := []string{"GIT_INDEX_FILE=" + filepath.Join(l.tmp, "checkout-index")}
	if err == nil {
		if info, err := os.Stat(l.index); err == nil {
			written = info.ModTime().UnixNano()
		}
		if err := os.WriteFile(filepath.Join(l.tmp, "checkout-index"), raw, 0o600); err != nil {
			return nil, 0, fmt.Errorf("copy the index: %w", err)
		}
	}
	tree := "--work-tree=" + l.Root
	out, err := l.git.run(ctx, call{dir: l.store.dir, env: own, args: []string{tree, "-C", l.Root, "ls-files", "-z", "--stage", "--debug", "--full-name"}, max: DefaultMaxTree, what: "listing"})
	if err != nil {
		return nil, 0, fmt.Errorf("list the index: %w", err)
	}
	list = parseDebug(string(out))
	out, err = l.git.run(ctx, call{dir: l.store.dir, env: own, args: []string{tree, "-C", l.Root, "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore", "--exclude-from=" + l.excludes(), "--full-name"}, max: DefaultMaxTree, what: "listing"})
	if err != nil {
		return nil, 0, fmt.Errorf("list untracked files: %w", err)
	}
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" && !strings.HasSuffix(path, "/") { // a slash ends the name of another repository inside
			list = append(list, indexed{path: path})
		}
	}
	slices.SortStableFunc(list, func(a, b indexed) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(list, func(a, b indexed) bool { return a.path == b.path }), written, nil
}

// excludes is the checkout's info/exclude, which holds patterns only.
func (l *Local) excludes() string {
	name := filepath.Join(filepath.Dir(l.index), "info", "exclude")
	if _, err := os.Stat(name); err != nil {
		return os.DevNull
	}
	return name
}

// parseDebug reads ls-files -z --stage --debug: "<mode> <oid> <stage>\t<path>NUL"
// and then lines "  ctime: s:n", "  mtime: s:n", … "  size: n\tflags: f".
func parseDebug(out string) []indexed {
	var list []indexed
	for out != "" {
		meta, rest, ok := strings.Cut(out, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 {
			return list
		}
		path, rest, ok := strings.Cut(rest, "\x00")
		if !ok {
			return list
		}
		e := indexed{mode: fields[0], oid: fields[1], path: path, size: -1}
		for strings.HasPrefix(rest, "  ") {
			line, after, _ := strings.Cut(rest, "\n")
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "mtime":
				s, n, _ := strings.Cut(value, ":")
				e.mtimeSec, _ = strconv.ParseInt(s, 10, 64)
				e.mtimeN, _ = strconv.ParseInt(n, 10, 64)
			case "size":
				v, _, _ := strings.Cut(value, "\t")
				e.size, _ = strconv.ParseInt(v, 10, 64)
			}
			rest = after
		}
		out = rest
		list = append(list, e)
	}
	return list
}
