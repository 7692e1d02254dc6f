package ask

import (
	"strings"

	"github.com/assay-dev/assay/internal/review/change"
)

// verbatim is the length of a repetition in letters and digits: about eight words.
const verbatim = 40

// remember remembers an answer of a tool.
func (o *Servers) remember(text string) {
	flat := change.Alphanumeric(text)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answers = append(o.answers, flat)
}

// Repeated reports whether any of some texts repeats a part of a tool's answer, compared by letters and
// digits only.
func (o *Servers) Repeated(texts ...string) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range texts {
		flat := change.Alphanumeric(text)
		for _, answer := range o.answers {
			if shares(flat, answer) {
				return true
			}
		}
	}
	return false
}

// shares reports whether two texts have a run of [verbatim] bytes in common. Such a run covers one of the
// blocks of half its length into which the first text is cut.
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
