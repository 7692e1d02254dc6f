package engine

import (
	"strings"

	"github.com/assay-dev/assay/internal/review/change"
)

// verbatim is how many letters and digits in a row that a tool of others has written make
// a stretch of its words: about eight words (design choice).
const verbatim = 40

// heardFrom remembers what a tool has answered.
func (o *servers) heardFrom(text string) {
	flat := change.Alphanumeric(text)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heard = append(o.heard, flat)
}

// repeated reports whether texts repeat a stretch of what a tool has answered, whatever
// stands between its letters.
func (o *servers) repeated(texts ...string) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range texts {
		flat := change.Alphanumeric(text)
		for _, said := range o.heard {
			if shares(flat, said) {
				return true
			}
		}
	}
	return false
}

// shares reports whether two texts have so many bytes in a row in common. A stretch of
// that length covers one of the blocks of half of it into which the first is cut.
func shares(text, other string) bool {
	const block = verbatim / 2
	for at := 0; at+block <= len(text); at += block {
		for from := 0; ; from++ {
			i := strings.Index(other[from:], text[at:at+block])
			if i < 0 {
				break
			}
			from += i
			before, after := 0, block
			for before < min(at, from) && text[at-before-1] == other[from-before-1] {
				before++
			}
			for at+after < len(text) && from+after < len(other) && text[at+after] == other[from+after] {
				after++
			}
			if before+after >= verbatim {
				return true
			}
		}
	}
	return false
}

// mark notes which candidates repeat the words of a tool.
func (o *servers) mark(candidates []candidate) {
	for i := range candidates {
		c := &candidates[i]
		texts := []string{c.Title, c.Trigger, c.Explanation}
		for _, e := range c.Evidence {
			texts = append(texts, e.Note)
		}
		if c.Fix != nil {
			texts = append(texts, c.Fix.New)
		}
		c.Repeats = o.repeated(texts...)
	}
}
