package codeindex

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/store"
)

// Parameters of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.5).
const (
	bm25K = 1.2
	bm25B = 0.75
)

// Weights of the roles in a rank, of the classes of files, and of chunks that lack words of the query (design choices; TestRanking
// and TestOwnRepository measure them).
const (
	boostQualified = 4.0
	boostDefines   = 3.0
	boostDefined   = 2.0
	boostFile      = 2.0
	boostExact     = 1.0
	boostName      = 0.8
	boostWhole     = 0.6
	boostPath      = 0.5
	boostPart      = 0.35
	classTestRank  = 0.7
	classOtherRank = 0.6
	leastCoverage  = 0.4
)

// Why says why a place was found.
type Why string

// The reasons, strongest first.
const (
	WhyDefines Why = "definition" // it defines a name of the query
	WhyUses    Why = "use"        // it has an identifier of the query as the query writes it
	WhyPath    Why = "path"       // words of the query are in its path
	WhyWords   Why = "words"      // it has words of the query, or parts of its identifiers
)

// whys lists the reasons in the order of their bits.
var whys = []Why{WhyDefines, WhyUses, WhyPath, WhyWords}

// wanted is a term of a query.
type wanted struct {
	term  term
	boost float64
	unit  int // the word of the query that it comes from
	why   uint8
	whole bool // counts once, however long the chunk is
}

// maxUnits bounds the words of a query.
const maxUnits = 16

// query is what a search looks for.
type query struct {
	terms []wanted
	units []string // the words as the query writes them
	tests bool     // tests rank as code, because the query asks for them
}

// parseQuery reads the words of a query.
func parseQuery(text string) (q query) {
	seen := map[term]bool{}
	add := func(role, word string, boost float64, why uint8, whole bool) {
		if t := termOf(role, word); !seen[t] {
			seen[t] = true
			q.terms = append(q.terms, wanted{t, boost, len(q.units) - 1, why, whole})
		}
	}
	for fieldText := range strings.FieldsSeq(text) {
		var before string
		identifiers(fieldText, func(word string) {
			if len(q.units) == maxUnits {
				return
			}
			lower := strings.ToLower(word)
			q.units = append(q.units, word)
			q.tests = q.tests || lower == "test" || lower == "tests"
			if before != "" {
				add(roleQualified, before+"."+lower, boostQualified, 0, true)
			}
			before = lower
			add(roleDefines, word, boostDefines, 0, true)
			add(roleDefined, lower, boostDefined, 0, true)
			add(roleExact, word, boostExact, 1, false)
			boost := boostWhole
			parts(word, func(part string) {
				add(rolePart, part, boost, 3, false)
				add(roleName, part, boost*boostName, 3, true)
				add(rolePath, part, boost*boostPath, 2, true)
				boost = boostPart
			})
		})
		if base := strings.ToLower(path.Base(fieldText)); strings.Contains(base, ".") && len(q.units) > 0 {
			add(roleFile, base, boostFile, 2, true)
		}
	}
	return q
}

// hit is a chunk that fits a query.
type hit struct {
	segment int // index in the list of segments
	chunk   int
	score   float64
	units   uint16 // bits of the words of the query
	why     uint8  // bits of the reasons
}

// corpus is the index that a search ranks: the segments with their chunks.
type corpus struct {
	segments []segment
	lists    map[int64][]byte
}

// postings returns the live postings of a term by segment, and their number.
func (c corpus) postings(t term) (out [][]posting, n int, err error) {
	out = make([][]posting, len(c.segments))
	for i, seg := range c.segments {
		all, err := postingsIn(c.lists[store.CodeBucket(seg.Segment, listOf(t, seg.Bits))], t)
		if err != nil {
			return nil, 0, err
		}
		for _, p := range all {
			if int(p.chunk) >= len(seg.chunks) {
				return nil, 0, errDamaged
			}
			if seg.isLive(seg.chunks[p.chunk]) {
				out[i] = append(out[i], p)
			}
		}
		n += len(out[i])
	}
	return out, n, nil
}

// buckets returns the lists of words that hold the terms.
func buckets(segments []segment, terms []term) (out []int64) {
	for _, seg := range segments {
		for _, t := range terms {
			out = append(out, store.CodeBucket(seg.Segment, listOf(t, seg.Bits)))
		}
	}
	return out
}

// rank returns the best limit chunks for a query. The same index gives the same ranks on each database.
func (c corpus) rank(q query, limit int) ([]hit, error) {
	total, words := 0, 0
	for _, seg := range c.segments {
		for _, k := range seg.chunks {
			if seg.isLive(k) {
				total++
				words += k.words
			}
		}
	}
	average := max(float64(words)/float64(max(total, 1)), 1)
	found := make([][]hit, len(c.segments)) // by chunk
	for i, seg := range c.segments {
		found[i] = make([]hit, len(seg.chunks))
	}
	for _, w := range q.terms {
		postings, n, err := c.postings(w.term)
		if err != nil {
			return nil, err
		}
		rarity := math.Log(1 + (float64(total-n)+0.5)/(float64(n)+0.5))
		for i, list := range postings {
			for _, p := range list {
				h := &found[i][p.chunk]
				often := 1.0
				if !w.whole {
					length := 1 - bm25B + bm25B*float64(c.segments[i].chunks[p.chunk].words)/average
					often = float64(p.weight) * (bm25K + 1) / (float64(p.weight) + bm25K*length)
				}
				h.score += w.boost * rarity * often
				h.units |= 1 << w.unit
				h.why |= 1 << w.why
			}
		}
	}
	var out bestHits
	for i, list := range found {
		for n := range list {
			if h := list[n]; h.units != 0 {
				h.segment, h.chunk = i, n
				h.score *= c.factor(q, i, h)
				out.add(h, limit)
			}
		}
	}
	return out.cut(limit), nil
}

// bestHits collects the best hits of many.
type bestHits struct {
	hits  []hit
	least hit // the worst that counts; none if it is in no unit
}

// add adds a hit if it is among the best limit so far.
func (b *bestHits) add(h hit, limit int) {
	if b.least.units != 0 && compareHits(h, b.least) > 0 {
		return
	}
	if b.hits = append(b.hits, h); len(b.hits) == 4*limit {
		b.hits = b.cut(limit)
		b.least = b.hits[limit-1]
	}
}

// cut returns the best limit hits, best first.
func (b *bestHits) cut(limit int) []hit {
	slices.SortFunc(b.hits, compareHits)
	return b.hits[:min(len(b.hits), limit)]
}

func compareHits(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.segment, b.segment), cmp.Compare(a.chunk, b.chunk))
}

// factor returns how much of a chunk's score counts.
func (c corpus) factor(q query, segment int, h hit) float64 {
	present := 0
	for i := range q.units {
		present += int(h.units >> i & 1)
	}
	out := leastCoverage + (1-leastCoverage)*float64(present)/float64(max(len(q.units), 1))
	switch class := c.segments[segment].chunks[h.chunk].class; {
	case class == classOther:
		out *= classOtherRank
	case class == classTest && !q.tests:
		out *= classTestRank
	}
	return out
}
