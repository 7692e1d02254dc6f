package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of the search for files with words.
const (
	maxListed  = 1 << 20   // bytes of a file whose words are listed
	maxWordsOf = 40_000    // of a file
	maxLists   = 16 << 20  // words of all listed files together
	maxHolders = 1000      // files to which a search is narrowed; above it all are searched
	maxNamed   = 128 << 10 // bytes of their paths, which are put on a command line
)

// SourceFile is a file of a tree that may be searched for words.
type SourceFile struct{ Path, OID, Language string }

// Holding says whether a file may hold one of the words of a query.
type Holding int8

// The values of a [Holding].
const (
	Unlisted Holding = iota // the index does not know the file
	Absent
	Present
)

// WordIndex knows the words of files by their content, whatever branch they are on. Implementations are safe for concurrent use.
type WordIndex interface {
	// Holding reports for each file, in the order of the files, whether it may hold one of a query's words, or may define one if
	// [Query.Defined] is set. A false Present costs time, a false Absent loses lines. An index that fails knows no file.
	Holding(ctx context.Context, files []SourceFile, q Query) []Holding
}

// UseIndex makes searches ask an index before they read files for their words. It must be called before the first search.
func (r *Repo) UseIndex(x WordIndex) { r.index = x }

// wordLists holds the words of blobs that no index knows, for as long as a store is open.
type wordLists struct {
	of   map[string][]uint32 // by the blob's name, as in wordsOf; nil if the blob may contain any word
	size int                 // words of all lists
}

// sourceFiles lists the source files of a commit in git's order. It keeps the list of the last commit.
func (r *Repo) sourceFiles(ctx context.Context, sha string) ([]SourceFile, error) {
	if r.listed == sha {
		return r.files, nil
	}
	raw, err := r.read(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", sha}, max: defaultMaxTree, what: "listing"})
	if err != nil {
		return nil, err
	}
	var out []SourceFile
	for record := range strings.SplitSeq(string(raw), "\x00") {
		meta, path, ok := strings.Cut(record, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 || fields[1] != "blob" {
			continue
		}
		if class, language := diff.Classify(path, nil); language != "" && !class.Ignored() {
			out = append(out, SourceFile{path, fields[2], language})
		}
	}
	r.listed, r.files = sha, out
	return out, nil
}

// filesWithWords lists the source files at a commit that contain one of the query's words, or may define one;
// false if they are too many to name. The index answers for the files that it knows. The others are read until the context
// ends, and their words are kept until the store is closed.
func (r *Repo) filesWithWords(ctx context.Context, sha string, q Query) (paths []string, ok bool, err error) {
	r.narrowing.Lock()
	defer r.narrowing.Unlock()
	files, err := r.sourceFiles(ctx, sha)
	if err != nil {
		return nil, false, err
	}
	var covered []SourceFile
	for _, f := range files {
		if q.covers(f.Path) {
			covered = append(covered, f)
		}
	}
	known := make([]Holding, len(covered))
	if r.index != nil {
		known = r.index.Holding(ctx, covered, q)
	}
	wanted, length := newWanted(q), 0
	for i, f := range covered {
		holds := known[i] == Present
		if known[i] == Unlisted {
			if holds, err = r.holds(ctx, f, wanted); err != nil {
				return nil, false, err
			}
		}
		if holds {
			paths = append(paths, f.Path)
			length += len(f.Path)
		}
	}
	return paths, len(paths) <= maxHolders && length <= maxNamed, nil
}

// holds reports whether a file that no index knows may hold a wanted word.
func (r *Repo) holds(ctx context.Context, f SourceFile, wanted *wantedWords) (bool, error) {
	words, read := r.words.of[f.OID]
	if !read {
		var err error
		if words, err = r.listWords(ctx, f); err != nil {
			return false, err
		}
		if r.words.size+len(words) > maxLists {
			words = nil
		}
		if r.words.of == nil {
			r.words.of = map[string][]uint32{}
		}
		r.words.of[f.OID], r.words.size = words, r.words.size+len(words)
	}
	return words == nil || wanted.matchesAny(words), nil
}

// listWords reads a blob for its words; nil if it may contain any word.
func (r *Repo) listWords(ctx context.Context, f SourceFile) ([]uint32, error) {
	content, err := r.cat.blob(ctx, f.OID, DefaultMaxBlob)
	switch {
	case errs.Is(err, errs.TooLarge) || errors.Is(err, fs.ErrNotExist) || len(content) > maxListed:
		return nil, nil
	case err != nil:
		return nil, err
	}
	words := wordsOf(f.Language, content)
	if len(words) > maxWordsOf {
		return nil, nil
	}
	return words, nil
}

// wantedWords holds the hashes of the query's words.
type wantedWords struct {
	hashes map[uint32]bool
	low    [1 << 10]uint64 // a bit for each end of a hash
}

func newWanted(q Query) *wantedWords {
	w := &wantedWords{hashes: map[uint32]bool{}}
	for _, word := range q.Words {
		h := hashOf(word)
		if q.Defined {
			h |= definitionMark
		}
		w.hashes[h] = true
		w.low[h>>6&1023] |= 1 << (h & 63)
	}
	return w
}

// matchesAny reports whether a wanted word is in a list.
func (w *wantedWords) matchesAny(words []uint32) bool {
	for _, h := range words {
		if w.low[h>>6&1023]&(1<<(h&63)) != 0 && w.hashes[h] {
			return true
		}
	}
	return false
}
