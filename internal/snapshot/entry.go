package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
)

// ModeFolder is git's mode of a folder.
const ModeFolder = 0o40000

// Entry returns the entry at a path of a commit (or tree): a file, a link, a submodule or a folder. It
// returns fs.ErrNotExist if there is no entry.
func (r *Repo) Entry(ctx context.Context, sha, path string) (Entry, error) {
	list, err := r.entries(ctx, sha, path, 1)
	if err != nil {
		return Entry{}, err
	}
	if len(list) != 1 || list[0].Path != path {
		return Entry{}, fs.ErrNotExist
	}
	return list[0], nil
}

// List returns the first limit entries of a folder at a commit (or tree), "" for the top, in git's order.
// If it returns limit entries, there may be more. It returns fs.ErrNotExist if there is no such folder.
// Paths are relative to the top.
func (r *Repo) List(ctx context.Context, sha, folder string, limit int) ([]Entry, error) {
	if folder == "" {
		return r.entries(ctx, sha, "", limit)
	}
	list, err := r.entries(ctx, sha, folder+"/", limit)
	if err == nil && len(list) == 0 {
		return nil, fs.ErrNotExist
	}
	return list, err
}

// entries lists the output of ls-tree for a path: the entry itself, or its content if the path ends with a
// slash; the top's content for "".
func (r *Repo) entries(ctx context.Context, sha, path string, limit int) ([]Entry, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	args := []string{sha}
	if path != "" {
		if diff.CheckPath(strings.TrimSuffix(path, "/")) != nil {
			return nil, fs.ErrNotExist
		}
		args = append(args, "--", path)
	}
	return r.listing(ctx, limit, args...)
}

// AllFiles returns the first limit entries at a commit (or tree) that are not folders, in git's order. If it returns limit entries,
// there may be more.
func (r *Repo) AllFiles(ctx context.Context, sha string, limit int) ([]Entry, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	return r.listing(ctx, limit, "-r", sha)
}

// listing returns the first limit records of git ls-tree.
func (r *Repo) listing(ctx context.Context, limit int, args ...string) ([]Entry, error) {
	args = append([]string{"ls-tree", "-z", "--long", "--full-tree"}, args...)
	out := &records{limit: limit}
	_, err := r.read(ctx, call{args: args, what: "listing", into: func(stop func()) io.Writer {
		out.stop = stop
		return out
	}})
	if out.full() {
		return out.list, nil
	}
	return out.list, err
}

// maxRecord bounds a record of a listing: a mode, a name, a size and a path.
const maxRecord = 4096 + 128

// records takes the output of git ls-tree. It keeps the first limit entries and then ends git.
type records struct {
	limit int
	stop  func()

	list   []Entry
	record []byte // the kept beginning of the present record
}

func (r *records) full() bool { return len(r.list) >= r.limit }

// Write never fails, so that git is not stopped by a closed pipe.
func (r *records) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 && !r.full() {
		part, rest, whole := bytes.Cut(b, []byte{0})
		r.record = append(r.record, part[:min(len(part), max(maxRecord-len(r.record), 0))]...)
		if whole {
			if e, ok := parseEntry(string(r.record)); ok {
				r.list = append(r.list, e)
			}
			r.record = r.record[:0]
		}
		b = rest
	}
	if r.full() {
		r.stop()
	}
	return n, nil
}

// parseEntry parses a record of git ls-tree --long: "<mode> <type> <name> <size>\t<path>".
func parseEntry(record string) (Entry, bool) {
	meta, path, ok := strings.Cut(record, "\t")
	fields := strings.Fields(meta)
	if !ok || len(fields) != 4 {
		return Entry{}, false
	}
	mode, err := strconv.ParseUint(fields[0], 8, 32)
	if err != nil {
		return Entry{}, false
	}
	size, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil {
		size = -1
	}
	return Entry{Path: path, Mode: uint32(mode), OID: fields[2], Size: size}, true
}

// Content reads a file by its entry, at most limit bytes. The error is fs.ErrNotExist if the store lacks the object, and of kind
// TooLarge above the limit.
func (r *Repo) Content(ctx context.Context, e Entry, limit int) ([]byte, error) {
	if err := checkSHA(e.OID); err != nil {
		return nil, err
	}
	b, err := r.cat.blob(ctx, e.OID, limit)
	if errors.Is(err, errBatch) {
		return nil, r.damaged(err)
	}
	return b, err
}
