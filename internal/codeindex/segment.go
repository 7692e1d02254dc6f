package codeindex

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// member is a file of a segment that is being made.
type member struct {
	path, blob string
	content    content
}

// posting is a chunk with a weighted number of occurrences of a term.
type posting struct {
	chunk  uint32 // its number in the segment
	weight uint32
}

// Weights of occurrences.
const (
	weightPlain = 1
	weightPath  = 1
	maxWeight   = 255
)

// makeSegment returns the rows of a segment with these files. A file's number is its index in the list.
func makeSegment(number int64, files []member) (*store.CodeSegment, []store.CodeWords) {
	postings := map[term][]posting{}
	var chunks []byte
	n := uint32(0)
	for _, f := range files {
		chunks = append(chunks, fileClass(f.path))
		chunks = binary.AppendUvarint(chunks, uint64(len(f.content.Chunks)))
		above := 0
		for _, k := range f.content.Chunks {
			counts, words := termsOf(f, k)
			chunks = binary.AppendUvarint(chunks, uint64(k.Start-above))
			chunks = binary.AppendUvarint(chunks, uint64(k.End-k.Start))
			chunks = binary.AppendUvarint(chunks, uint64(words))
			above = k.End
			for t, weight := range counts {
				postings[t] = append(postings[t], posting{n, min(weight, maxWeight)})
			}
			n++
		}
	}
	width := max(bits.Len(uint(n/32)), 1)
	seg := &store.CodeSegment{Segment: number, Bits: int64(min(width, 10)), Chunks: chunks}
	return seg, packWords(seg, postings)
}

// termsOf counts the terms of a chunk, and its words.
func termsOf(f member, k chunk) (counts map[term]uint32, words int) {
	counts = map[term]uint32{}
	add := func(role, word string, weight uint32) {
		switch t := termOf(role, word); {
		case counts[t] > 0 || len(counts) < maxWords:
			counts[t] += weight
		default:
			counts[termOf(roleCut, "")] = weightPlain
		}
	}
	for _, line := range f.content.lines[k.Start-1 : k.End] {
		identifiers(line[:min(len(line), maxLineBytes)], func(word string) {
			words++
			add(roleExact, word, weightPlain)
			parts(word, func(part string) { add(rolePart, part, weightPlain) })
		})
		snapshot.EachWord(f.content.Language, []byte(line), func(word []byte, mayDefine bool) {
			if mayDefine {
				add(roleMayDefine, string(word), weightPlain)
			}
		})
	}
	if n := len(f.content.Chunks); n == maxChunks && k == f.content.Chunks[n-1] {
		counts[termOf(roleCut, "")] = weightPlain
	}
	for _, s := range f.content.Symbols {
		if s.Start < k.Start || s.Start > k.End {
			continue
		}
		add(roleDefines, s.base(), weightPlain)
		add(roleDefined, strings.ToLower(s.base()), weightPlain)
		parts(s.Name, func(part string) { add(roleName, part, weightPlain) })
		if s.base() != s.Name {
			add(roleQualified, strings.ToLower(s.Name), weightPlain)
		}
	}
	identifiers(f.path, func(word string) {
		parts(word, func(part string) { add(rolePath, part, weightPath) })
	})
	add(roleFile, strings.ToLower(path.Base(f.path)), weightPath)
	return counts, words
}

// The classes of files, which rank differently.
const (
	classCode = iota
	classTest
	classOther // documents and configuration
)

func fileClass(name string) byte {
	switch class, _ := diff.Classify(name, nil); class {
	case diff.ClassSource, diff.ClassMigration:
		return classCode
	case diff.ClassTest:
		return classTest
	}
	return classOther
}

// packWords spreads terms over the lists of a segment. A list holds, for each term in order, its hash, the number of its
// postings, their bytes, and for each posting the distance to the previous chunk and the weight.
func packWords(seg *store.CodeSegment, postings map[term][]posting) []store.CodeWords {
	lists := make([][]byte, 1<<seg.Bits)
	for _, t := range slices.Sorted(maps.Keys(postings)) {
		var body []byte
		above := uint32(0)
		for _, p := range postings[t] {
			body = binary.AppendUvarint(body, uint64(p.chunk-above))
			body = append(body, byte(p.weight))
			above = p.chunk
		}
		i := listOf(t, seg.Bits)
		lists[i] = binary.BigEndian.AppendUint64(lists[i], uint64(t))
		lists[i] = binary.AppendUvarint(lists[i], uint64(len(body)))
		lists[i] = append(lists[i], body...)
	}
	var out []store.CodeWords
	for i, b := range lists {
		if len(b) > 0 {
			out = append(out, store.CodeWords{Bucket: store.CodeBucket(seg.Segment, int64(i)), Content: b})
		}
	}
	return out
}

// listOf returns the number of the list that a term is in.
func listOf(t term, bits int64) int64 { return int64(uint64(t) >> (64 - bits)) }

// errDamaged means that stored rows of an index cannot be read.
var errDamaged = errors.New("the stored index is damaged")

// eachTerm calls each for the terms of a list with their packed postings.
func eachTerm(list []byte, each func(t term, body []byte) error) error {
	for len(list) >= 8 {
		t := term(binary.BigEndian.Uint64(list))
		size, n := binary.Uvarint(list[8:])
		if n <= 0 || size > uint64(len(list)-8-n) {
			return errDamaged
		}
		if err := each(t, list[8+n:8+n+int(size)]); err != nil {
			return err
		}
		list = list[8+n+int(size):]
	}
	return nil
}

// postingsIn reads the postings of a term from its list.
func postingsIn(list []byte, want term) (out []posting, err error) {
	err = eachTerm(list, func(t term, body []byte) (err error) {
		if t == want {
			out, err = postingsOf(body)
		}
		return err
	})
	return out, err
}

// postingsOf unpacks postings.
func postingsOf(body []byte) (out []posting, err error) {
	chunk := uint64(0)
	for len(body) > 0 {
		step, n := binary.Uvarint(body)
		if n <= 0 || n >= len(body) {
			return nil, errDamaged
		}
		chunk += step
		out = append(out, posting{uint32(chunk), uint32(body[n])})
		body = body[n+1:]
	}
	return out, nil
}

// placed is a chunk of a segment.
type placed struct {
	chunk
	file  int
	class byte
	words int
}

// layoutOf unpacks the chunks of a segment.
func layoutOf(packed []byte) (out layout, err error) {
	rest := packed
	number := func() int {
		v, n := binary.Uvarint(rest)
		if n <= 0 || v > 1<<30 {
			err, rest = errDamaged, nil
			return 0
		}
		rest = rest[n:]
		return int(v)
	}
	for ; len(rest) > 0 && err == nil; out.files++ {
		class := rest[0]
		rest = rest[1:]
		above := 0
		for range number() {
			start := above + number()
			k := placed{chunk: chunk{start, start + number()}, file: out.files, class: class, words: number()}
			if err != nil {
				break
			}
			above = k.End
			out.chunks = append(out.chunks, k)
		}
	}
	return out, err
}

// withStale returns the stale files of a segment with more of them.
func withStale(seg store.CodeSegment, numbers []int) []byte {
	out := slices.Clone(seg.Stale)
	for _, n := range numbers {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return out
}

// staleIn reads the numbers of a segment's stale files.
func staleIn(seg store.CodeSegment) (map[uint64]bool, error) {
	out := map[uint64]bool{}
	for rest := seg.Stale; len(rest) > 0; {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			return nil, errDamaged
		}
		out[v], rest = true, rest[n:]
	}
	return out, nil
}
