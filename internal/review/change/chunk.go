package change

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
)

// ChunkTokens is the most estimated tokens of diff in one model call. A model with a small context gets less.
const ChunkTokens = 24_000

// Chunk is the part of the change that one model call sees.
type Chunk struct {
	Targets []*Target
	Tokens  int
}

// Split packs units of targets into chunks of at most limit estimated tokens, in their order. A unit that
// fits into a chunk stays together. In a larger unit each file that fits stays whole, and in a larger file
// each hunk. Only a hunk that exceeds the limit alone is cut, at the beginning of a symbol if symbol is not
// nil.
func Split(units [][]*Target, limit int, symbol SymbolAt) []Chunk {
	var p packer
	for _, unit := range units {
		if n := Tokens(unit); n <= limit && p.cur.Tokens+n > limit {
			p.flush()
		}
		for _, t := range unit {
			p.put(t, limit, symbol)
		}
	}
	p.flush()
	return p.out
}

// packer fills one chunk after the other.
type packer struct {
	out []Chunk
	cur Chunk
}

func (p *packer) flush() {
	if len(p.cur.Targets) > 0 {
		p.out = append(p.out, p.cur)
		p.cur = Chunk{}
	}
}

// put adds a file, whole if the current chunk or an empty one has room for it.
func (p *packer) put(t *Target, limit int, symbol SymbolAt) {
	if n := TargetTokens(t); n <= limit {
		if p.cur.Tokens+n > limit {
			p.flush()
		}
		p.cur.Add(t)
		return
	}
	header := TargetTokens(&Target{File: t.File})
	var part *Target
	for _, h := range t.Hunks {
		for _, h := range pieces(t.File.Path, h, max(limit-header, 1), symbol) {
			n := hunkTokens(h)
			if part != nil && p.cur.Tokens+n > limit || part == nil && p.cur.Tokens+header+n > limit {
				p.flush()
				part = nil
			}
			if part == nil {
				part = &Target{File: t.File}
				p.cur.Add(part)
			}
			part.Hunks = append(part.Hunks, h)
			p.cur.Tokens += n
		}
	}
}

// Halve cuts a chunk in two between hunks, or within its only hunk. It returns false if the chunk is a single line.
func (c Chunk) Halve(symbol SymbolAt) (a, b Chunk, ok bool) {
	if c.HunkCount() == 1 {
		t := c.Targets[0]
		parts := pieces(t.File.Path, t.Hunks[0], (hunkTokens(t.Hunks[0])+1)/2, symbol)
		if len(parts) < 2 {
			return c, Chunk{}, false
		}
		a.Add(&Target{t.File, parts[:1]})
		b.Add(&Target{t.File, parts[1:]})
		return a, b, true
	}
	half := 0
	for _, t := range c.Targets {
		var left, right []*diff.Hunk
		for _, h := range t.Hunks {
			if first := a.HunkCount() == 0 && len(left) == 0; first || half+hunkTokens(h) <= c.Tokens/2 && len(right) == 0 && len(b.Targets) == 0 {
				left = append(left, h)
				half += hunkTokens(h)
			} else {
				right = append(right, h)
			}
		}
		if len(left) > 0 {
			a.Add(&Target{t.File, left})
		}
		if len(right) > 0 {
			b.Add(&Target{t.File, right})
		}
	}
	if b.HunkCount() == 0 { // the last hunk alone is the second half
		last := a.Targets[len(a.Targets)-1]
		n := len(last.Hunks) - 1
		b.Add(&Target{last.File, last.Hunks[n:]})
		a.Targets = a.Targets[:len(a.Targets)-1]
		if n > 0 {
			a.Targets = append(a.Targets, &Target{last.File, last.Hunks[:n]})
		}
		a.Tokens -= b.Tokens
	}
	return a, b, true
}

// Add adds a file to the chunk.
func (c *Chunk) Add(t *Target) {
	c.Targets = append(c.Targets, t)
	c.Tokens += TargetTokens(t)
}

// HunkCount returns the number of hunks.
func (c Chunk) HunkCount() int {
	n := 0
	for _, t := range c.Targets {
		n += len(t.Hunks)
	}
	return n
}

// ChangedLines returns how many lines the chunk adds and removes.
func (c Chunk) ChangedLines() (n int) {
	for _, t := range c.Targets {
		for _, h := range t.Hunks {
			for _, l := range h.Lines {
				if l.Op != diff.Context {
					n++
				}
			}
		}
	}
	return n
}

// HunkIDs returns the ids of the hunks, in their order.
func (c Chunk) HunkIDs() []string {
	var out []string
	for _, t := range c.Targets {
		for _, h := range t.Hunks {
			out = append(out, h.ID)
		}
	}
	return out
}

// TargetTokens estimates the tokens of a file in a prompt.
func TargetTokens(t *Target) int {
	n := 16 + llm.EstimateTokens(len(t.File.Path))
	for _, h := range t.Hunks {
		n += hunkTokens(h)
	}
	return n
}

// hunkTokens estimates the tokens of a hunk in a prompt, with a number before each line.
func hunkTokens(h *diff.Hunk) int {
	n := 32 + len(h.Section)
	for _, l := range h.Lines {
		n += lineBytes(l.Text)
	}
	return llm.EstimateTokens(n)
}

// Tokens estimates the tokens of targets in a prompt.
func Tokens(targets []*Target) (n int) {
	for _, t := range targets {
		n += TargetTokens(t)
	}
	return n
}
