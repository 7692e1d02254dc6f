package snapshot

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // what git names objects by
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
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

// Bounds of new files that git does not know yet: what a checkout collects
// beside its source is not reviewed.
const (
	MaxNew     = 200
	MaxNewSize = 1 << 20 // bytes
)

// indexed is an entry of the checkout's index with what git remembers of the file.
type indexed struct {
	mode, oid, stage, path string
	mtimeSec, mtimeN       int64
	size                   int64
	flags                  uint64
}

// Flags of an entry as ls-files --debug shows them (read-cache.h of git).
const (
	flagAssumeUnchanged = 0x8000
	flagIntentToAdd     = 1 << 29
	flagSkipWorktree    = 1 << 30 // not checked out, on purpose
)

// listing collects the entries of a tree in the form of update-index --index-info.
type listing struct{ bytes.Buffer }

func (b *listing) put(mode, oid, path string) { fmt.Fprintf(b, "%s %s\t%s\x00", mode, oid, path) }

// worktree stores the files of the checkout as a tree. Contents are taken as
// they are: no filter of the checkout (clean, end of line) runs. A file that git's
// index says is unchanged keeps its object. leftOut counts files beyond a bound:
// they stay as the index has them.
func (l *Local) worktree(ctx context.Context, paths []string) (tree string, leftOut int, err error) {
	list, written, err := l.readIndex(ctx)
	if err != nil {
		return "", 0, err
	}
	fresh, leftOut, err := l.untracked(ctx, paths)
	if err != nil {
		return "", 0, err
	}
	list = append(list, fresh...)
	slices.SortStableFunc(list, func(a, b indexed) int { return strings.Compare(a.path, b.path) })
	list = slices.CompactFunc(list, func(a, b indexed) bool { return a.path == b.path })
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return "", 0, fmt.Errorf("open the checkout: %w", err)
	}
	defer root.Close() // a link that leads out of the checkout is not followed
	var out listing
	read := 0
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return "", 0, err
		}
		if diff.CheckPath(e.path) != nil {
			continue
		}
		if e.mode == "160000" || e.flags&(flagSkipWorktree|flagAssumeUnchanged) != 0 {
			out.put(e.mode, e.oid, e.path)
			continue
		}
		info, err := root.Lstat(e.path)
		if err != nil || info.IsDir() {
			continue // deleted
		}
		if e.unchanged(info, written) {
			out.put(e.mode, e.oid, e.path)
			continue
		}
		if read++; read > maxWorktree || info.Size() > DefaultMaxDiff {
			leftOut++
			if e.oid != "" {
				out.put(e.mode, e.oid, e.path)
			}
			continue
		}
		mode, oid, err := l.store1(ctx, root, e, info)
		if err != nil {
			return "", 0, err
		}
		if mode != "" {
			out.put(mode, oid, e.path)
		}
	}
	tree, err = l.writeTree(ctx, &out)
	return tree, leftOut, err
}

// unchanged reports whether git's index says so of a file as it is now. An index
// that was written in the same instant as the file says nothing.
func (e indexed) unchanged(info fs.FileInfo, written int64) bool {
	mt := info.ModTime()
	return e.oid != "" && info.Size() == e.size && mt.Unix() == e.mtimeSec && int64(mt.Nanosecond()) == e.mtimeN && mt.UnixNano() < written
}

// staged stores the index of the checkout as a tree.
func (l *Local) staged(ctx context.Context) (string, error) {
	list, _, err := l.readIndex(ctx)
	if err != nil {
		return "", err
	}
	var out listing
	for _, e := range list {
		if diff.CheckPath(e.path) == nil && e.flags&flagIntentToAdd == 0 && (e.stage == "0" || e.stage == "2") {
			out.put(e.mode, e.oid, e.path)
		}
	}
	return l.writeTree(ctx, &out)
}

func (l *Local) writeTree(ctx context.Context, entries *listing) (string, error) {
	own := []string{"GIT_INDEX_FILE=" + filepath.Join(l.tmp, "index")}
	_ = os.Remove(filepath.Join(l.tmp, "index"))
	if _, err := l.git.run(ctx, call{dir: l.store.dir, env: own, args: []string{"update-index", "-z", "--index-info"}, stdin: entries.Bytes(), what: "index"}); err != nil {
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
		if len(content) > DefaultMaxDiff { // it grew meanwhile
			return e.mode, e.oid, nil
		}
	default:
		return "", "", nil
	}
	if e.oid != "" && e.oid == l.objectID(content) { // touched, not changed
		return mode, e.oid, nil
	}
	out, err := l.git.run(ctx, call{dir: l.store.dir, args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, stdin: content, what: "object"})
	if err != nil {
		return "", "", fmt.Errorf("store a working file: %w", err)
	}
	return mode, strings.TrimSpace(string(out)), nil
}

// objectID is git's name of a file's content.
func (l *Local) objectID(content []byte) string {
	var h hash.Hash = sha1.New() //nolint:gosec // a name, no protection
	if l.format == "sha256" {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// readIndex lists the index, and tells when it was written (nanoseconds): a file
// that is not older may have changed in the same instant (git's "racy" problem).
func (l *Local) readIndex(ctx context.Context) (list []indexed, written int64, err error) {
	// A copy: git must not refresh the checkout's own index.
	raw, err := os.ReadFile(l.index)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read the index: %w", err)
	}
	if err == nil {
		if info, err := os.Stat(l.index); err == nil {
			written = info.ModTime().UnixNano()
		}
		if err := os.WriteFile(filepath.Join(l.tmp, "checkout-index"), raw, 0o600); err != nil {
			return nil, 0, fmt.Errorf("copy the index: %w", err)
		}
	}
	out, err := l.list(ctx, "--stage", "--debug")
	return parseDebug(string(out)), written, err
}

// list runs ls-files on the copy of the index.
func (l *Local) list(ctx context.Context, args ...string) ([]byte, error) {
	args = append([]string{"--work-tree=" + l.Root, "-C", l.Root, "ls-files", "-z", "--full-name"}, args...)
	out, err := l.git.run(ctx, call{dir: l.store.dir, env: []string{"GIT_INDEX_FILE=" + filepath.Join(l.tmp, "checkout-index")}, args: args, max: DefaultMaxTree, what: "listing"})
	if err != nil {
		return nil, fmt.Errorf("list the files of the checkout: %w", err)
	}
	return out, nil
}

// untracked lists the files that git does not know and that the checkout does
// not ignore, and counts those beyond MaxNew and MaxNewSize.
func (l *Local) untracked(ctx context.Context, paths []string) (list []indexed, leftOut int, err error) {
	out, err := l.list(ctx, append([]string{"--others", "--exclude-per-directory=.gitignore", "--exclude-from=" + l.excludes(), "--"}, paths...)...)
	if err != nil {
		return nil, 0, err
	}
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path == "" || strings.HasSuffix(path, "/") { // a slash ends the name of another repository inside
			continue
		}
		info, err := os.Lstat(filepath.Join(l.Root, filepath.FromSlash(path)))
		if err != nil || len(list) == MaxNew || info.Size() > MaxNewSize || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
			leftOut++
			continue
		}
		list = append(list, indexed{path: path})
	}
	return list, leftOut, nil
}

// excludes is the checkout's info/exclude, which holds patterns only.
func (l *Local) excludes() string {
	if _, err := os.Stat(l.exclude); err != nil {
		return os.DevNull
	}
	return l.exclude
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
		e := indexed{mode: fields[0], oid: fields[1], stage: fields[2], path: path, size: -1}
		for strings.HasPrefix(rest, "  ") {
			line, after, _ := strings.Cut(rest, "\n")
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "mtime":
				s, n, _ := strings.Cut(value, ":")
				e.mtimeSec, _ = strconv.ParseInt(s, 10, 64)
				e.mtimeN, _ = strconv.ParseInt(n, 10, 64)
			case "size":
				v, flags, _ := strings.Cut(value, "\tflags: ")
				e.size, _ = strconv.ParseInt(v, 10, 64)
				e.flags, _ = strconv.ParseUint(flags, 16, 64)
			}
			rest = after
		}
		out = rest
		list = append(list, e)
	}
	return list
}
