package snapshot

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of the table of words of a store.
const (
	maxTable   = 64 << 20  // bytes; of one that would be larger only what the tree at hand needs is kept
	maxIndexed = 1 << 20   // bytes of a file of which the words are listed
	maxWordsOf = 40_000    // of a file
	maxHolders = 1000      // files that a search is narrowed to; beyond it all are searched
	maxNamed   = 128 << 10 // bytes of their paths, which stand on a command line
)

// tableName is the file beside the objects that holds the words of blobs: a mark, then
// for each blob its name, the number of its words, their hashes and a checksum.
// It only ever grows, at its end, under a lock; what does not check out ends it.
// Whoever loses it makes it again.
const (
	tableName = "assay-words"
	tableMark = "assay words 1\n"
)

// anyWord stands in the place of a number for a blob of which the words are not known.
const anyWord = math.MaxUint32

// table knows words of blobs. Its entries are read where they lie.
type table struct {
	entries map[string][]byte // by the blob's name: hashes of four bytes; nil for any
	raw     []byte            // of the file, as far as it checks out
	fresh   bytes.Buffer      // entries that the file does not have
}

// readTable reads the table of a store, empty where there is none or it is damaged.
func readTable(dir string) *table {
	t := &table{entries: map[string][]byte{}}
	f, err := os.Open(filepath.Join(dir, tableName))
	if err != nil {
		return t
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxTable+1))
	if err != nil || len(raw) > maxTable {
		return t
	}
	t.raw = raw[:t.parse(raw)]
	return t
}

// parse notes the entries of a table's bytes and returns how many of those check out.
func (t *table) parse(raw []byte) int {
	rest, ok := bytes.CutPrefix(raw, []byte(tableMark))
	if !ok {
		return 0
	}
	for {
		name, words, size := entry(rest)
		if size == 0 {
			return len(raw) - len(rest)
		}
		t.entries[hex.EncodeToString(name)] = words
		rest = rest[size:]
	}
}

// entry reads the first entry of some bytes; its size is 0 where there is none that
// checks out.
func entry(b []byte) (name, words []byte, size int) {
	if len(b) < 1 || b[0] != 20 && b[0] != 32 {
		return nil, nil, 0
	}
	at := 1 + int(b[0])
	if len(b) < at+4 {
		return nil, nil, 0
	}
	name = b[1:at]
	count := binary.LittleEndian.Uint32(b[at:])
	at += 4
	if count != anyWord {
		if count > maxWordsOf || len(b) < at+4*int(count) {
			return nil, nil, 0
		}
		words = b[at : at+4*int(count) : at+4*int(count)]
		at += 4 * int(count)
	}
	if len(b) < at+4 || crc32.ChecksumIEEE(b[:at]) != binary.LittleEndian.Uint32(b[at:]) {
		return nil, nil, 0
	}
	if count != anyWord && words == nil {
		words = []byte{}
	}
	return name, words, at + 4
}

// add notes the words of a blob; nil for any. A blob without a proper name is left out.
func (t *table) add(oid string, words []uint32, known bool) {
	name, err := hex.DecodeString(oid)
	if err != nil || len(name) != 20 && len(name) != 32 {
		return
	}
	count := uint32(anyWord)
	if known && len(words) <= maxWordsOf {
		count = uint32(len(words))
	} else {
		words = nil
	}
	b := append([]byte{byte(len(name))}, name...)
	b = binary.LittleEndian.AppendUint32(b, count)
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	_, listed, _ := entry(b)
	t.entries[oid] = listed
	t.fresh.Write(b)
}

// save appends what is new to the file of a store. It gives up where somebody else
// writes; where the file would be too large it begins anew with the entries of some
// blobs. That nothing can be written costs time alone.
func (t *table) save(dir string, keep []leaf) error {
	if t.fresh.Len() == 0 {
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
	now, err := io.ReadAll(io.LimitReader(f, maxTable+1))
	if err != nil {
		return err
	}
	end := (&table{entries: map[string][]byte{}}).parse(now) // another process may have added something
	text := t.fresh.Bytes()
	if end == 0 || end+len(text) > maxTable {
		anew := &table{entries: map[string][]byte{}}
		anew.fresh.WriteString(tableMark)
		for _, l := range keep {
			if words, known := t.entries[l.oid]; known && anew.entries[l.oid] == nil {
				anew.add(l.oid, numbers(words), words != nil)
			}
		}
		if text = anew.fresh.Bytes(); len(text) > maxTable {
			return nil
		}
		end = 0
	}
	if err := f.Truncate(int64(end)); err != nil {
		return err
	}
	_, err = f.WriteAt(text, int64(end))
	return err
}

func numbers(words []byte) (out []uint32) {
	for ; len(words) >= 4; words = words[4:] {
		out = append(out, binary.LittleEndian.Uint32(words))
	}
	return out
}

// leaf is a file of a tree that may be searched.
type leaf struct{ path, oid, language string }

// leaves lists the source files of a commit in git's order.
func (r *Repo) leaves(ctx context.Context, sha string) (out []leaf, err error) {
	raw, err := r.read(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", sha}, max: DefaultMaxTree, what: "listing"})
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
			out = append(out, leaf{path, fields[2], language})
		}
	}
	return out, nil
}

// holders lists the source files at a commit that hold one of some words, or may define
// one; false where they are too many to name. Blobs that the store's table does not
// know are read, as far as the context allows; what was read is kept also where it ends.
func (r *Repo) holders(ctx context.Context, sha string, q Query) (paths []string, ok bool, err error) {
	files, err := r.leaves(ctx, sha)
	if err != nil {
		return nil, false, err
	}
	r.indexing.Lock()
	defer r.indexing.Unlock()
	if r.words == nil {
		r.words = readTable(r.dir)
	}
	t, wanted, length := r.words, newWanted(q), 0
	for i, f := range files {
		words, known := t.entries[f.oid]
		if !known {
			if words, err = r.index(ctx, t, f); err != nil {
				return nil, false, errors.Join(err, t.save(r.dir, files[:i]))
			}
		}
		if words == nil || wanted.in(words) {
			paths = append(paths, f.path)
			length += len(f.path)
		}
	}
	if err := t.save(r.dir, files); err == nil {
		t.fresh.Reset()
	}
	return paths, len(paths) <= maxHolders && length <= maxNamed, nil
}

// index reads a blob for its words.
func (r *Repo) index(ctx context.Context, t *table, f leaf) ([]byte, error) {
	content, err := r.cat.blob(ctx, f.oid, DefaultMaxBlob)
	switch {
	case errs.Is(err, errs.TooLarge) || errors.Is(err, fs.ErrNotExist):
		t.add(f.oid, nil, false)
	case err != nil:
		return nil, err
	case len(content) > maxIndexed:
		t.add(f.oid, nil, false)
	default:
		t.add(f.oid, wordsOf(f.language, content), true)
	}
	return t.entries[f.oid], nil
}

// wanted are hashes of words that are looked for.
type wanted struct {
	hashes map[uint32]bool
	low    [1 << 10]uint64 // a bit for each end of a hash
}

func newWanted(q Query) *wanted {
	w := &wanted{hashes: map[uint32]bool{}}
	for _, word := range q.Words {
		h := hashOf(word)
		if q.Defined {
			h |= defining
		}
		w.hashes[h] = true
		w.low[h>>6&1023] |= 1 << (h & 63)
	}
	return w
}

// in reports whether one of the wanted words is in a list.
func (w *wanted) in(words []byte) bool {
	for ; len(words) >= 4; words = words[4:] {
		if h := binary.LittleEndian.Uint32(words); w.low[h>>6&1023]&(1<<(h&63)) != 0 && w.hashes[h] {
			return true
		}
	}
	return false
}
