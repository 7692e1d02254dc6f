package engine

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
)

// chunkTokens is the most estimated tokens of diff per model call; a model whose
// context is small gets less, see [Route.share].
const chunkTokens = 24_000

// maxChunks bounds the calls of one review, maxCalls those with a model that takes
// less than chunkTokens; what is left is named in the coverage.
const maxChunks, maxCalls = 24, 60

// chunk is the part of the diff that one call sees.
type chunk struct {
	targets []*target
	tokens  int
}

// chunks puts units into parts of at most limit estimated tokens, in their order.
// A unit that fits stays together; of one that is larger each file does that fits,
// and of a file each hunk. Only a hunk that is larger by itself is cut, see [pieces].
func chunks(units [][]*target, limit int, symbol symbolAt) []chunk {
	var p packer
	for _, unit := range units {
		if n := total(unit); n <= limit && p.cur.tokens+n > limit {
			p.flush()
		}
		for _, t := range unit {
			p.put(t, limit, symbol)
		}
	}
	p.flush()
	return p.out
}

// packer fills chunks one after the other.
type packer struct {
	out []chunk
	cur chunk
}

func (p *packer) flush() {
	if len(p.cur.targets) > 0 {
		p.out = append(p.out, p.cur)
		p.cur = chunk{}
	}
}

// put adds a file, whole where a chunk has room for it.
func (p *packer) put(t *target, limit int, symbol symbolAt) {
	if n := targetTokens(t); n <= limit {
		if p.cur.tokens+n > limit {
			p.flush()
		}
		p.cur.add(t)
		return
	}
	header := targetTokens(&target{file: t.file})
	var part *target
	for _, h := range t.hunks {
		for _, h := range pieces(t.file.Path, h, max(limit-header, 1), symbol) {
			n := hunkTokens(h)
			if part != nil && p.cur.tokens+n > limit || part == nil && p.cur.tokens+header+n > limit {
				p.flush()
				part = nil
			}
			if part == nil {
				part = &target{file: t.file}
				p.cur.add(part)
			}
			part.hunks = append(part.hunks, h)
			p.cur.tokens += n
		}
	}
}

// halve cuts a chunk in two between hunks, or the single hunk that it holds;
// false if that is a single line.
func (c chunk) halve(symbol symbolAt) (a, b chunk, ok bool) {
	if c.hunks() == 1 {
		t := c.targets[0]
		parts := pieces(t.file.Path, t.hunks[0], (hunkTokens(t.hunks[0])+1)/2, symbol)
		if len(parts) < 2 {
			return c, chunk{}, false
		}
		a.add(&target{t.file, parts[:1]})
		b.add(&target{t.file, parts[1:]})
		return a, b, true
	}
	half := 0
	for _, t := range c.targets {
		var left, right []*diff.Hunk
		for _, h := range t.hunks {
			if first := a.hunks() == 0 && len(left) == 0; first || half+hunkTokens(h) <= c.tokens/2 && len(right) == 0 && len(b.targets) == 0 {
				left = append(left, h)
				half += hunkTokens(h)
			} else {
				right = append(right, h)
			}
		}
		if len(left) > 0 {
			a.add(&target{t.file, left})
		}
		if len(right) > 0 {
			b.add(&target{t.file, right})
		}
	}
	if b.hunks() == 0 { // the last hunk alone is the second half
		last := a.targets[len(a.targets)-1]
		n := len(last.hunks) - 1
		b.add(&target{last.file, last.hunks[n:]})
		a.targets = a.targets[:len(a.targets)-1]
		if n > 0 {
			a.targets = append(a.targets, &target{last.file, last.hunks[:n]})
		}
		a.tokens -= b.tokens
	}
	return a, b, true
}

func (c *chunk) add(t *target) {
	c.targets = append(c.targets, t)
	c.tokens += targetTokens(t)
}

func (c chunk) hunks() int {
	n := 0
	for _, t := range c.targets {
		n += len(t.hunks)
	}
	return n
}

func (c chunk) ids() []string {
	var out []string
	for _, t := range c.targets {
		for _, h := range t.hunks {
			out = append(out, h.ID)
		}
	}
	return out
}

func targetTokens(t *target) int {
	n := 16 + llm.EstimateTokens(len(t.file.Path))
	for _, h := range t.hunks {
		n += hunkTokens(h)
	}
	return n
}

// hunkTokens estimates a hunk as the prompt writes it: a number before each line.
func hunkTokens(h *diff.Hunk) int {
	n := 32 + len(h.Section)
	for _, l := range h.Lines {
		n += lineBytes(l.Text)
	}
	return llm.EstimateTokens(n)
}
