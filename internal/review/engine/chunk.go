package engine

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
)

// chunkTokens is the most estimated tokens of diff per model call.
const chunkTokens = 24_000

// maxChunks bounds the calls of one review; what is left is named in the coverage.
const maxChunks = 24

// chunk is the part of the diff that one call sees.
type chunk struct {
	targets []*target
	tokens  int
}

// chunks cuts the targets into parts of at most limit estimated tokens. Only a
// hunk that is larger by itself is cut, see [pieces]. Files stay together where
// they fit, and in the order of the diff, which puts the files of one folder next
// to each other.
func chunks(targets []*target, limit int, symbol symbolAt) []chunk {
	var out []chunk
	var cur chunk
	flush := func() {
		if len(cur.targets) > 0 {
			out = append(out, cur)
			cur = chunk{}
		}
	}
	for _, t := range targets {
		if n := targetTokens(t); n <= limit {
			if cur.tokens+n > limit {
				flush()
			}
			cur.targets = append(cur.targets, t)
			cur.tokens += n
			continue
		}
		part := &target{file: t.file}
		var hunks []*diff.Hunk
		for _, h := range t.hunks {
			if hunkTokens(h) > limit {
				hunks = append(hunks, pieces(t.file.Path, h, limit, symbol)...)
			} else {
				hunks = append(hunks, h)
			}
		}
		for _, h := range hunks {
			n := hunkTokens(h)
			if len(part.hunks) > 0 && cur.tokens+n > limit {
				cur.targets = append(cur.targets, part)
				flush()
				part = &target{file: t.file}
			} else if len(part.hunks) == 0 && cur.tokens+n > limit {
				flush()
			}
			part.hunks = append(part.hunks, h)
			cur.tokens += n
		}
		if len(part.hunks) > 0 {
			cur.targets = append(cur.targets, part)
		}
	}
	flush()
	return out
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
		n += len(l.Text) + 9
	}
	return llm.EstimateTokens(n)
}
