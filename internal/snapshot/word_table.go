package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of a store's table of words.
const (
	maxTable   = 64 << 20  // bytes; a larger table keeps only the entries of the present tree
	maxIndexed = 1 << 20   // bytes of a file whose words are listed
	maxWordsOf = 40_000    // of a file
	maxHolders = 1000      // files to which a search is narrowed; above it all are searched
	maxNamed   = 128 << 10 // bytes of their paths, which are put on a command line
)

// tableName is the file beside the objects with the words of blobs: a mark, then for each blob its name,
// the number of its words, their hashes and a checksum. The file only grows at its end, under a lock. The
// first invalid entry ends it. A lost table is made again.
const (
	tableName = "assay-words"
	tableMark = "assay words 2\n"
)

// anyWord replaces the count of words for a blob with unknown words.
const anyWord = math.MaxUint32

// wordTable holds the words of blobs.
type wordTable struct {
	entries map[string][]byte // by the blob's name; in the form of the file
	size    int               // bytes of the file's entries and the fresh ones
	fresh   [][]byte          // entries that the file lacks
	rewrite bool              // the file contains obsolete entries
}

// readTable reads the table of a store. It returns an empty table if there is no file or the file is
// damaged.
func readTable(dir string) *wordTable {
	t := &wordTable{entries: map[string][]byte{}}
	f, err := os.Open(filepath.Join(dir, tableName))
	if err != nil {
		return t
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxTable+1))
	if err == nil && len(raw) <= maxTable {
		t.size = t.parse(raw)
	}
	return t
}

// parse adds the entries in a table's bytes and returns the number of valid bytes.
func (t *wordTable) parse(raw []byte) int {
	rest, ok := bytes.CutPrefix(raw, []byte(tableMark))
	if !ok {
		return 0
	}
	for {
		size := entrySize(rest)
		if size == 0 {
			return len(raw) - len(rest)
		}
		t.entries[hex.EncodeToString(rest[1:1+rest[0]])] = rest[:size:size]
		rest = rest[size:]
	}
}

// entrySize returns the size of the first entry in b; 0 if the entry is invalid.
func entrySize(b []byte) int {
	if len(b) < 1 || b[0] != 20 && b[0] != 32 {
		return 0
	}
	at := 1 + int(b[0])
	if len(b) < at+4 {
		return 0
	}
	count := binary.LittleEndian.Uint32(b[at:])
	at += 4
	if count != anyWord {
		if count > maxWordsOf {
			return 0
		}
		at += 4 * int(count)
	}
	if len(b) < at+4 || crc32.ChecksumIEEE(b[:at]) != binary.LittleEndian.Uint32(b[at:]) {
		return 0
	}
	return at + 4
}

// hashes returns the hashes of an entry, four bytes each; false if the blob may contain any word.
func hashes(entry []byte) ([]byte, bool) {
	at := 1 + int(entry[0])
	return entry[at+4 : len(entry)-4], binary.LittleEndian.Uint32(entry[at:]) != anyWord
}

// add adds the words of a blob. If they are unknown, too many, or beyond the table's size, the blob may
// contain any word. A blob without a valid name is not added.
func (t *wordTable) add(oid string, words []uint32, known bool) []byte {
	name, err := hex.DecodeString(oid)
	if err != nil || len(name) != 20 && len(name) != 32 {
		return nil
	}
	count := uint32(len(words))
	if !known || len(words) > maxWordsOf || t.size+4*len(words) > maxTable-maxTable/16 {
		words, count = nil, anyWord
	}
	b := make([]byte, 0, 1+len(name)+4+4*len(words)+4)
	b = append(append(b, byte(len(name))), name...)
	b = binary.LittleEndian.AppendUint32(b, count)
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	t.entries[oid] = b
	t.fresh = append(t.fresh, b)
	t.size += len(b)
	return b
}

// dropOthers drops the blobs that files lack, once half of the maximum size of a table is used.
func (t *wordTable) dropOthers(files []sourceFile) {
	if t.size <= maxTable/2 {
		return
	}
	kept := map[string][]byte{}
	t.size, t.rewrite = len(tableMark), true
	for _, f := range files {
		if e, known := t.entries[f.oid]; known && kept[f.oid] == nil {
			kept[f.oid] = e
			t.size += len(e)
		}
	}
	t.entries = kept
}

// save appends new entries to the file of a store, or writes all of them if the file is damaged, too large
// or obsolete. It gives up if another process is writing, because a missing entry only costs time.
func (t *wordTable) save(dir string) error {
	if len(t.fresh) == 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(dir, tableName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if ok, err := tryLock(f, exclusive); !ok || err != nil {
		return err
	}
	stored := readTable(dir) // another process may have added entries
	parts, size := t.fresh, 0
	for _, e := range parts {
		size += len(e)
	}
	if t.rewrite || stored.size == 0 || stored.size+size > maxTable {
		stored.size, parts = 0, [][]byte{[]byte(tableMark)}
		for _, oid := range slices.Sorted(maps.Keys(t.entries)) {
			parts = append(parts, t.entries[oid])
		}
	}
	if err := f.Truncate(int64(stored.size)); err != nil {
		return err
	}
	if _, err := f.Seek(int64(stored.size), io.SeekStart); err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	for _, e := range parts {
		_, _ = out.Write(e) // the error comes with Flush
	}
	if err := out.Flush(); err != nil {
		return err
	}
	t.fresh, t.rewrite = nil, false
	return nil
}

// sourceFile is a file of a tree that may be searched.
type sourceFile struct{ path, oid, language string }

// sourceFiles lists the source files of a commit in git's order.
func (r *Repo) sourceFiles(ctx context.Context, sha string) (out []sourceFile, err error) {
	raw, err := r.read(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", sha}, max: defaultMaxTree, what: "listing"})
	if err != nil {
		return nil, err
	}
	for record := range strings.SplitSeq(string(raw), "\x00") {
		meta, path, ok := strings.Cut(record, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 || fields[1] != "blob" {
			continue
		}
		if class, language := diff.Classify(path, nil); language != "" && !class.Ignored() {
			out = append(out, sourceFile{path, fields[2], language})
		}
	}
	return out, nil
}

// filesWithWords lists the source files at a commit that contain one of the query's words, or may define one;
// false if they are too many to name. Blobs that are missing in the store's table are read until the
// context ends; the result of the reading is kept even then.
func (r *Repo) filesWithWords(ctx context.Context, sha string, q Query) (paths []string, ok bool, err error) {
	files, err := r.sourceFiles(ctx, sha)
	if err != nil {
		return nil, false, err
	}
	r.indexing.Lock()
	defer r.indexing.Unlock()
	if r.words == nil {
		r.words = readTable(r.dir)
	}
	t, wanted, length := r.words, newWanted(q), 0
	t.dropOthers(files)
	for _, f := range files {
		if !q.covers(f.path) {
			continue
		}
		e := t.entries[f.oid]
		if e == nil {
			if e, err = r.index(ctx, t, f); err != nil {
				return nil, false, errors.Join(err, t.save(r.dir))
			}
		}
		if e == nil || wanted.matchesAny(hashes(e)) {
			paths = append(paths, f.path)
			length += len(f.path)
		}
	}
	_ = t.save(r.dir) // a failure only costs time
	return paths, len(paths) <= maxHolders && length <= maxNamed, nil
}

// index reads a blob for its words.
func (r *Repo) index(ctx context.Context, t *wordTable, f sourceFile) ([]byte, error) {
	content, err := r.cat.blob(ctx, f.oid, DefaultMaxBlob)
	switch {
	case errs.Is(err, errs.TooLarge) || errors.Is(err, fs.ErrNotExist) || len(content) > maxIndexed:
		return t.add(f.oid, nil, false), nil
	case err != nil:
		return nil, err
	}
	return t.add(f.oid, wordsOf(f.language, content), true), nil
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

// matchesAny reports whether a wanted word is in the list, or the list is unknown.
func (w *wantedWords) matchesAny(words []byte, known bool) bool {
	if !known {
		return true
	}
	for ; len(words) >= 4; words = words[4:] {
		if h := binary.LittleEndian.Uint32(words); w.low[h>>6&1023]&(1<<(h&63)) != 0 && w.hashes[h] {
			return true
		}
	}
	return false
}
