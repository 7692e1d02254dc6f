package engine

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/secret"
)

// Bounds of what is looked at before something is sent to a tool of others (design
// choices).
const (
	inPiece   = 8       // characters of what only the review knows that count as a piece of it
	joined    = 8 << 10 // bytes of earlier arguments that are held against the next ones
	printable = 16      // characters of text within what was decoded that are looked at
)

// mayBeSent reports whether arguments tell nothing that only the review knows and no
// secret: as they are, written in another way, and together with what was sent before.
// What may be sent is remembered.
func (o *servers) mayBeSent(ready string) bool {
	words := spoken(ready)
	o.mu.Lock()
	defer o.mu.Unlock()
	whole := o.said + words
	if o.tells(ready) || o.tells(words) || o.tells(whole) {
		return false
	}
	o.said = whole[max(len(whole)-joined, 0):]
	return true
}

// tells reports whether a text, or what it stands for, has a piece of what only the
// review knows, or a secret.
func (o *servers) tells(text string) bool {
	if o.guard.partly(text) || o.hides(text) {
		return true
	}
	for _, other := range decoded(text) {
		if o.guard.partly(other) || o.hides(inPrint(other)) {
			return true
		}
	}
	return false
}

// hides reports whether a text has a secret of the change, or what looks like one.
func (o *servers) hides(text string) bool {
	marks := func(s string) int { return strings.Count(s, secret.Redacted) }
	return marks(secret.Scrub(text)) > marks(text) || o.scrub != nil && o.scrub(text) != text
}

// partly reports whether a text has a piece of the guard's random strings, also when it
// was spaced out, or put in another letter case.
func (g guard) partly(text string) bool {
	flat := change.Alphanumeric(text)
	for _, random := range []string{g.canary, strings.TrimPrefix(g.fence, "DATA-")} {
		for i := 0; i+inPiece <= len(random); i++ {
			if strings.Contains(flat, random[i:i+inPiece]) {
				return true
			}
		}
	}
	return false
}

// spoken are the texts of a JSON value, one after the other.
func spoken(ready string) string {
	var v any
	if json.Unmarshal([]byte(ready), &v) != nil {
		return ready
	}
	var b strings.Builder
	var speak func(v any)
	speak = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v)
		case []any:
			for _, inner := range v {
				speak(inner)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				speak(v[key])
			}
		}
	}
	speak(v)
	return b.String()
}

var percented = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// decoded is what a text may stand for: in base64, in hexadecimal, or as part of an
// address, wherever in it that begins and whatever stands between.
func decoded(text string) []string {
	only := func(alphabet string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(alphabet, r) {
				return r
			}
			return -1
		}, text)
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	var out []string
	for _, flat := range []string{only(letters + "+/"), strings.NewReplacer("-", "+", "_", "/").Replace(only(letters + "-_"))} {
		for i := range min(4, len(flat)) {
			part := flat[i:]
			if raw, err := base64.RawStdEncoding.DecodeString(part[:len(part)-len(part)%4]); err == nil {
				out = append(out, string(raw))
			}
		}
	}
	digits := only("0123456789abcdefABCDEF")
	for i := range min(2, len(digits)) {
		part := digits[i:]
		if raw, err := hex.DecodeString(part[:len(part)-len(part)%2]); err == nil {
			out = append(out, string(raw))
		}
	}
	if percented.MatchString(text) {
		out = append(out, percented.ReplaceAllStringFunc(text, func(s string) string {
			plain, err := url.PathUnescape(s)
			if err != nil {
				return s
			}
			return plain
		}))
	}
	return out
}

// inPrint are the longer stretches of plain characters in what was decoded.
func inPrint(raw string) string {
	var out []string
	for _, run := range strings.FieldsFunc(raw, func(r rune) bool { return r < ' ' || r > '~' }) {
		if len(run) >= printable {
			out = append(out, run)
		}
	}
	return strings.Join(out, "\n")
}
