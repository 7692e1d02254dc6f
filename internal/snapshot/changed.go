package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// largeChanged returns the names of the objects on both sides of a change that
// are larger than git compares. It counts the paths of the change first: git ends
// beyond MaxChanged of them, and before it compares any two files.
func (r *Repo) largeChanged(ctx context.Context, mergeBase, head string, paths []string) (map[string]bool, error) {
	list := &rawList{max: MaxChanged}
	args := []string{"diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "-z", mergeBase, head, "--"}
	if _, err := r.read(ctx, call{args: append(args, paths...), what: "list of changed files", memory: listMemory,
		into: func(stop func()) io.Writer { list.stop = stop; return list }}); err != nil {
		return nil, err
	}
	names := list.objects()
	if len(names) == 0 {
		return nil, nil
	}
	out, err := r.read(ctx, call{args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, what: "list of sizes",
		stdin: []byte(strings.Join(names, "\n") + "\n"), max: 128 * len(names)})
	if err != nil {
		return nil, err
	}
	large := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		name, size, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(size, 10, 64); err == nil && n > bigFile { // or "missing": a submodule
			large[name] = true
		}
	}
	return large, nil
}

// rawList takes git's raw list of a change, two fields that end with NUL for each
// path, and stops git beyond max paths or DefaultMaxTree bytes.
type rawList struct {
	max    int
	stop   func()
	buf    bytes.Buffer
	fields int
}

var errListed = errors.New("enough was listed")

// Write fails once there is too much.
func (l *rawList) Write(b []byte) (int, error) {
	l.fields += bytes.Count(b, []byte{0})
	if l.fields > 2*l.max || l.buf.Len()+len(b) > DefaultMaxTree {
		l.stop()
		return 0, errListed
	}
	return l.buf.Write(b)
}

// objects are the names of all versions in the list, each once. An entry begins
// with a colon, the two modes and the two names (git-diff manual, "raw output
// format"); an absent side has a name of zeros.
func (l *rawList) objects() []string {
	var out []string
	fields := bytes.Split(l.buf.Bytes(), []byte{0})
	for i := 0; i < len(fields); i += 2 {
		parts := strings.Fields(string(fields[i]))
		if len(parts) != 5 {
			continue
		}
		for _, name := range parts[2:4] {
			if strings.Trim(name, "0") != "" {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
