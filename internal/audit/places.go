package audit

import (
	"slices"
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

// maxSpans bounds what is remembered of a log that is in pieces (design choice).
const maxSpans = 4096

// places is a set of numbers that are mostly next to each other.
type places struct {
	spans [][2]int64 // from, to (exclusive); in order, never touching
	full  bool       // there were too many pieces
}

// add puts a number in and reports whether it was not there.
func (p *places) add(n int64) bool {
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
func (p *places) gaps(size int64, f func(from, count int64)) {
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

// frontier computes the root of a tree from its leaves, one after the other, in
// the space of one branch.
type frontier struct {
	n     int64
	nodes []tlog.Hash // roots of the complete subtrees, the largest first
}

// add puts a leaf in; node is told every hash that is complete with it, as
// [tlog.StoredHashes] stores them. It may be nil.
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

// root is the root of the tree so far; the zero hash of an empty one.
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
