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

// Bounds of git's comparison by histogram, whose cost grows with the square of the lines if every other
// line has changed: 64 KiB take about a second of processor time, 300 KiB half a minute. Myers' algorithm
// has no such cost, because it gives up early on expensive parts, but shows moved code less well.
const (
	maxHistogramFile = 64 << 10 // bytes of one version
	maxHistogram     = 2 << 20  // bytes of all versions
)

// measured is the result of looking at a change before files are compared.
type measured struct {
	large     map[string]bool // names of objects on both sides that are too large for git's comparison
	algorithm string          // for comparing the others
}

// measure counts the paths of a change, ending git beyond maxChanged paths, and looks up the sizes of the
// changed versions.
func (r *Repo) measure(ctx context.Context, mergeBase, head string, paths []string) (measured, error) {
	m := measured{algorithm: histogram}
	list := &rawList{max: maxChanged}
	args := []string{"diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "-z", mergeBase, head, "--"}
	if _, err := r.read(ctx, call{args: append(args, paths...), what: "list of changed files", memory: listMemory,
		into: func(stop func()) io.Writer { list.stop = stop; return list }}); err != nil {
		return m, err
	}
	names := list.objects()
	if len(names) == 0 {
		return m, nil
	}
	out, err := r.read(ctx, call{args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, what: "list of sizes",
		stdin: []byte(strings.Join(names, "\n") + "\n"), max: 128 * len(names)})
	if err != nil {
		return m, err
	}
	m.large = map[string]bool{}
	var sum int64
	for line := range strings.Lines(string(out)) {
		name, size, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(size, 10, 64)
		switch {
		case err != nil: // "missing": a submodule
		case n > bigFile:
			m.large[name] = true
		default:
			if sum += n; n > maxHistogramFile || sum > maxHistogram {
				m.algorithm = myers
			}
		}
	}
	return m, nil
}

// rawList takes git's raw list of a change, two NUL-terminated fields per path, and stops git beyond max
// paths or defaultMaxTree bytes.
type rawList struct {
	max    int
	stop   func()
	buf    bytes.Buffer
	fields int
}

var errListed = errors.New("enough was listed")

// Write fails when the list is too large.
func (l *rawList) Write(b []byte) (int, error) {
	l.fields += bytes.Count(b, []byte{0})
	if l.fields > 2*l.max || l.buf.Len()+len(b) > defaultMaxTree {
		l.stop()
		return 0, errListed
	}
	return l.buf.Write(b)
}

// objects returns the names of all versions in the list, each once. An entry begins with a colon, two modes
// and two names (git-diff manual, "raw output format"); the name of an absent side is all zeros.
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
