package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// maxMatch is the maximum length of a returned line, in bytes.
const maxMatch = 4096

// Match is a line that [Repo.Search] found.
type Match struct {
	Path string
	Line int // 1-based
	Text string
}

// Search returns the first limit lines of text files at a commit that match a query, in the order of the
// paths. If it returns limit lines, there may be more. Lines are cut to maxMatch bytes. If git refuses an
// expression, the error is of kind Malformed. In a store of a [Cache], the query's words narrow the search
// to the files that contain them ([Repo.UseIndex]).
func (r *Repo) Search(ctx context.Context, sha string, q Query, limit int) ([]Match, error) {
	if r.lock == nil || len(q.Words) == 0 {
		return r.grep(ctx, sha, q, nil, limit)
	}
	paths, ok, err := r.filesWithWords(ctx, sha, q)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil, !ok:
		return r.grep(ctx, sha, q, nil, limit)
	case len(paths) == 0:
		return nil, nil
	}
	return r.grep(ctx, sha, q, paths, limit)
}

// grep searches some files and folders, or all, for the lines that a query keeps.
func (r *Repo) grep(ctx context.Context, sha string, q Query, paths []string, limit int) ([]Match, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	outside := func(p string) bool { return diff.CheckPath(strings.TrimSuffix(p, "/")) != nil }
	if len(q.Expressions) == 0 || len(q.Expressions) > MaxExpressions || slices.ContainsFunc(q.Expressions, badExpression) ||
		slices.ContainsFunc(paths, outside) || q.Under != "" && outside(q.Under) {
		return nil, errs.New(errs.Malformed, "bad_search", "The search needs up to 20 expressions of at most 500 characters, each in "+
			"one line, and a path inside the tree.")
	}
	if len(paths) == 0 && q.Under != "" {
		paths = []string{q.Under}
	}
	args := []string{"grep", "-I", "-n", "-z", "--full-name", "--no-color", "--no-textconv", "--threads=1", "--max-depth=-1", "-E"}
	for _, e := range q.Expressions {
		args = append(args, "-e", e)
	}
	args = append(append(args, sha, "--"), paths...)
	inner, cancel := context.WithTimeout(ctx, defaultReadTimeout)
	defer cancel()
	found := &matches{prefix: sha + ":", limit: limit, only: q}
	_, err := r.git.run(inner, call{dir: r.dir, args: args, what: "result of the search", into: func(stop func()) io.Writer {
		found.stop = stop
		return found
	}})
	if found.full() {
		return found.list, nil
	}
	if g, ok := errors.AsType[*gitError](err); ok {
		if g.code == 1 {
			return nil, nil // nothing found
		}
		return nil, errs.Wrap(g, errs.Malformed, "bad_search", "The search expression is not understood.")
	}
	if err != nil {
		return nil, err
	}
	return found.list, nil
}

// MaxExpressions bounds the expressions of one search, see [Repo.Search].
const MaxExpressions = 20

func badExpression(e string) bool {
	return e == "" || len(e) > 500 || strings.ContainsAny(e, "\x00\n")
}

// matches takes the output of git grep: path, number and text of each line, separated by zero bytes. It
// keeps the first limit lines, cuts long ones, and then ends git.
type matches struct {
	prefix string // before each path
	limit  int
	only   Query // filters the lines
	stop   func()

	list []Match
	line []byte // the kept beginning of the present line
}

// maxMatchLine bounds a line of the output: a path, a number and a text.
const maxMatchLine = 4096 + 128 + maxMatch

func (m *matches) full() bool { return len(m.list) >= m.limit }

// Write never fails, so that git is not stopped by a closed pipe.
func (m *matches) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 && !m.full() {
		part, rest, whole := bytes.Cut(b, []byte("\n"))
		m.line = append(m.line, part[:min(len(part), max(maxMatchLine-len(m.line), 0))]...)
		if whole {
			m.add()
			m.line = m.line[:0]
		}
		b = rest
	}
	if m.full() {
		m.stop()
	}
	return n, nil
}

// add keeps a line of the output.
func (m *matches) add() {
	name, rest, ok := bytes.Cut(m.line, []byte{0})
	no, text, ok2 := bytes.Cut(rest, []byte{0})
	n, err := strconv.Atoi(string(no))
	if !ok || !ok2 || err != nil {
		return
	}
	text = bytes.TrimSuffix(text, []byte("\r"))
	found := Match{Path: strings.TrimPrefix(string(name), m.prefix), Line: n, Text: string(text[:min(len(text), maxMatch)])}
	cut := len(text) > maxMatch
	if (m.only.Path == nil || m.only.Path(found.Path)) && (cut || m.only.Line == nil || m.only.Line(found.Text)) {
		m.list = append(m.list, found)
	}
}
