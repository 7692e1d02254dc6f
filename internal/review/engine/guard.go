package engine

import (
	"encoding/hex"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/review/change"
)

// guard holds the random strings of one request.
type guard struct {
	fence  string // delimits untrusted text
	canary string // must never come back
}

func newGuard(random io.Reader) guard {
	var b [24]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic(err) // crypto/rand never returns an error (package documentation), and whoever measures gives enough
	}
	return guard{fence: "DATA-" + hex.EncodeToString(b[:8]), canary: "cnry" + hex.EncodeToString(b[8:])}
}

// wrap puts untrusted text between the request's delimiters. The delimiter is
// random, so text made before the request cannot contain it; it is removed all
// the same.
func (g guard) wrap(label, text string) string {
	text = strings.ReplaceAll(text, g.fence, "")
	return "<" + g.fence + " " + label + ">\n" + strings.TrimRight(text, "\n") + "\n</" + g.fence + ">\n"
}

// leaked reports whether an answer carries the canary, also when it was spaced
// out, or put in another letter case.
func (g guard) leaked(answer string) bool {
	return strings.Contains(change.Alphanumeric(answer), g.canary)
}
