package audit

import (
	"slices"
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

// maxSpans bounds the memory for a log with many gaps (design choice).
const maxSpans = 4096

// numberSet is a set of numbers, stored as ranges because most of them are adjacent.
type numberSet struct {
	spans [][2]int64 // from, to (exclusive); in order and never adjacent
	full  bool       // there were more than maxSpans ranges
}

// add inserts a number and reports whether it was new.
func (p *numberSet) add(n int64) bool {
	i := sort.Search(len(p.spans), func(i int) bool { return p.spans[i][1] >= n })
	switch {
	case i < len(p.spans) && p.spans[i][0] <= n && n < p.spans[i][1]:
		return false
	case i < len(p.spans) && p.spans[i][1] == n:
		p.spans[i][1]++
		if i+1 < len(p.spans) && p.spans[i+1][0] == n+1 {
			p.spans[i][1] = p.spans[i+1][1]
			p.spans = slices.Delete(p.spans, i+1, i+2)
		}
	case i < len(p.spans) && p.spans[i][0] == n+1:
		p.spans[i][0] = n
	case len(p.spans) == maxSpans:
		p.full = true
	default:
		p.spans = slices.Insert(p.spans, i, [2]int64{n, n + 1})
	}
	return true
}

// gaps calls f for every run of numbers below size that is not in the set.
func (p *numberSet) gaps(size int64, f func(from, count int64)) {
	next := int64(0)
	for _, s := range p.spans {
		if s[0] >= size {
			break
		}
		if s[0] > next {
			f(next, s[0]-next)
		}
		next = s[1]
	}
	if next < size {
		f(next, size-next)
	}
}

// frontier computes the root of a tree from its leaves, in order. It stores one hash per level.
type frontier struct {
	n     int64
	nodes []tlog.Hash // roots of the complete subtrees, the largest first
}

// add appends a leaf. It calls node for every hash that the leaf completes, at the index of
// [tlog.StoredHashes]. node may be nil.
func (f *frontier) add(leaf tlog.Hash, node func(index int64, h tlog.Hash)) {
	h := leaf
	for level := 0; ; level++ {
		if node != nil {
			node(tlog.StoredHashIndex(level, f.n>>level), h)
		}
		if f.n>>level&1 == 0 {
			break
		}
		last := len(f.nodes) - 1
		h = tlog.NodeHash(f.nodes[last], h)
		f.nodes = f.nodes[:last]
	}
	f.nodes = append(f.nodes, h)
	f.n++
}

// root returns the root of the leaves so far, or the zero hash of an empty tree.
func (f *frontier) root() tlog.Hash {
	if len(f.nodes) == 0 {
		return tlog.Hash{}
	}
	h := f.nodes[len(f.nodes)-1]
	for i := len(f.nodes) - 2; i >= 0; i-- {
		h = tlog.NodeHash(f.nodes[i], h)
	}
	return h
}
