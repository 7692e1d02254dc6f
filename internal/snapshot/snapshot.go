// Package snapshot reads the two versions of a change: from a bare git object store that is cached per
// repository, from a local checkout, or from a host's file contents.
//
// It executes nothing from the repository: there is no checkout, and hooks, filters, textconv programs,
// submodules and the repository's own configuration are ignored. It does not parse diffs, contains no
// clients of hosts and does not review.
package snapshot

import (
	"context"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Source reads a file of a change: LEFT is the merge base, RIGHT the head. It returns fs.ErrNotExist if the
// path is absent or not a file, and an error of kind TooLarge above the size cap. Implementations are safe
// for concurrent use. The content of a symbolic link is its target path; links are never followed.
type Source interface {
	Blob(ctx context.Context, side domain.Side, path string) ([]byte, error)
}

// Searcher finds lines at the head of a change, in all its files; see [Repo.Search].
type Searcher interface {
	Search(ctx context.Context, q Query, limit int) ([]Match, error)
}

// Query selects lines.
type Query struct {
	// Expressions are POSIX extended regular expressions, at most MaxExpressions. A line must match one.
	Expressions []string
	// Words are optional words of ASCII letters, digits, underscores and dollar signs. Each matching line
	// contains at least one. With words, only source files count that are neither generated nor vendored,
	// and a search may be much faster.
	Words []string
	// Defined means that the word is at the place of a definition's name.
	Defined bool
	// Under is a file or folder, and the only one that is searched; "" for the whole tree. It is literal.
	Under string
	// Path and Line, if set, filter files and lines. They are called while git writes, never concurrently
	// within one search. A line that is cut to maxMatch is not filtered by Line.
	Path, Line func(string) bool
}

// covers reports whether a file is the one that [Query.Under] names, or in that folder.
func (q Query) covers(path string) bool {
	return q.Under == "" || path == q.Under || strings.HasPrefix(path, strings.TrimSuffix(q.Under, "/")+"/")
}

// Lister lists the folders of a change. Paths that lead out of the tree, and paths without an entry, give
// fs.ErrNotExist. Implementations are safe for concurrent use.
type Lister interface {
	// Entry returns the entry at a path of one side.
	Entry(ctx context.Context, side domain.Side, path string) (Entry, error)
	// List returns the first limit entries of a folder of the head, "" for the top, in git's order. If it
	// returns limit entries, there may be more. Paths are relative to the top.
	List(ctx context.Context, folder string, limit int) ([]Entry, error)
}

// Walker lists a whole tree. Implementations are safe for concurrent use.
type Walker interface {
	// AllFiles returns the first limit entries of the head that are not folders, in git's order. If it returns
	// limit entries, there may be more.
	AllFiles(ctx context.Context, limit int) ([]Entry, error)
}

// Whole is a source with all files, not only the changed ones.
type Whole interface {
	Source
	Searcher
	Lister
	Walker
}

// The default bounds.
const (
	DefaultMaxBlob      = 4 << 20  // bytes of a file
	defaultMaxDiff      = 64 << 20 // bytes of the hunks of a diff
	defaultMaxFiles     = 20_000   // files of a diff
	defaultMaxTree      = 64 << 20 // bytes of a listing
	defaultMaxRepo      = 4 << 30  // bytes of one repository's store
	defaultFetchTimeout = 5 * time.Minute
	defaultReadTimeout  = 2 * time.Minute // of a diff, a listing or a search
)

// The bounds of git's work on untrusted repositories ([Cache]).
const (
	// maxMemory is the address space of one git process in bytes. A diff of 2,000 renames, or a pack of 4
	// GiB, needs a fraction of it. Input that is made to need more would need all memory.
	maxMemory = 1 << 30
	// maxChanged is the maximum number of paths in a change. They are counted before git compares files.
	maxChanged = defaultMaxFiles

	listMemory = 512 << 20 // address space while counting: git holds all paths before it writes the first
	bigFile    = DefaultMaxBlob
)

func tooLarge(what string) error {
	return errs.New(errs.TooLarge, "snapshot_too_large", "The %s is larger than allowed.", what)
}

// checkSHA accepts full object names of SHA-1 and SHA-256 repositories.
func checkSHA(sha string) error {
	ok := len(sha) == 40 || len(sha) == 64
	for _, c := range []byte(sha) {
		ok = ok && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f')
	}
	if !ok {
		return errs.New(errs.Malformed, "bad_commit", "A commit must be named by its full lower-case hash.")
	}
	return nil
}
