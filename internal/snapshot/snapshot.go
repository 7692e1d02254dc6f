// Package snapshot reads the two versions of a change: from a bare git object
// store that is kept as a cache per repository, from a local checkout, or from a
// host's file contents.
//
// Nothing of the repository is executed: there is no checkout, and hooks,
// filters, textconv programs, submodules and the repository's own configuration
// play no part. Parsing of diffs, clients of hosts and the review itself do not
// live here.
package snapshot

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Source reads a file of a change: LEFT is the merge base, RIGHT the head. It
// returns fs.ErrNotExist for what is absent there or is no file, and an error of
// kind TooLarge above the size cap. Implementations are safe for concurrent use.
// The content of a symbolic link is the path it names; it is never followed.
type Source interface {
	Blob(ctx context.Context, side domain.Side, path string) ([]byte, error)
}

// Searcher finds lines at the head of a change, in all its files; see [Repo.Search].
type Searcher interface {
	Search(ctx context.Context, q Query, limit int) ([]Match, error)
}

// Query says what lines are looked for.
type Query struct {
	// Expressions are POSIX extended regular expressions, at most MaxExpressions, of
	// which a line matches one.
	Expressions []string
	// Words, where there are any, are words of which each such line holds one: letters,
	// digits and underscores of ASCII, and dollar signs. Then only source files that
	// nobody generated or vendored count, and a search may be much faster.
	Words []string
	// Defined says that the word stands where a definition has its name.
	Defined bool
	// Path and Line, where there are any, say in which files and which lines are meant.
	// They are called while git writes, never concurrently within one search. A line that
	// is cut to maxMatch is not asked about.
	Path, Line func(string) bool
}

// Lister knows what stands in the folders of a change. Paths that lead out of the tree,
// and those at which there is nothing, give fs.ErrNotExist. Implementations are safe for
// concurrent use.
type Lister interface {
	// Entry is what stands at a path of one side.
	Entry(ctx context.Context, side domain.Side, path string) (Entry, error)
	// List returns the first limit entries of a folder of the head, "" for the top, in
	// git's order: as many as that say that there may be more. Their paths are whole.
	List(ctx context.Context, folder string, limit int) ([]Entry, error)
}

// Whole is a source that has all files at hand, not only those that changed.
type Whole interface {
	Source
	Searcher
	Lister
}

// Bounds that hold where a caller sets none.
const (
	DefaultMaxBlob      = 4 << 20  // bytes of a file
	defaultMaxDiff      = 64 << 20 // bytes of the hunks of a diff
	defaultMaxFiles     = 20_000   // files of a diff
	defaultMaxTree      = 64 << 20 // bytes of a listing
	defaultMaxRepo      = 4 << 30  // bytes of one repository's store
	defaultFetchTimeout = 5 * time.Minute
	defaultReadTimeout  = 2 * time.Minute // of a diff, a listing or a search
)

// Bounds of what git may do with the repository of a stranger ([Cache]).
const (
	// maxMemory is the address space of one git process in bytes. A diff of 2,000
	// renames, or a pack of 4 GiB, needs a fraction of it; what is made to need more
	// would need all there is.
	maxMemory = 1 << 30
	// maxChanged is the number of paths that a change may touch. They are counted
	// before git compares any two files.
	maxChanged = defaultMaxFiles

	listMemory = 512 << 20 // address space while they are counted: git holds all before it writes the first
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
