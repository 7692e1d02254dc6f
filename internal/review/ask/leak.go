package ask

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

// Bounds of the checks before text is sent to another server's tool.
const (
	inPiece   = 8       // characters of the review's random strings that count as a piece of them
	joined    = 8 << 10 // bytes of earlier arguments that are checked together with the next
	printable = 16      // characters of text within decoded bytes that are checked
)

// mayBeSent reports whether arguments contain neither secrets nor the review's random strings: as they are,
// in another encoding, and together with arguments sent before. It remembers arguments that may be sent.
func (o *Servers) mayBeSent(ready string) bool {
	words := spoken(ready)
	o.mu.Lock()
	defer o.mu.Unlock()
	whole := o.sent + words
	if o.tells(ready) || o.tells(words) || o.tells(whole) {
		return false
	}
	o.sent = whole[max(len(whole)-joined, 0):]
	return true
}

// tells reports whether a text, or its decoded form, contains a secret or a piece of the review's random
// strings.
func (o *Servers) tells(text string) bool {
	if o.Guard.partly(text) || o.hides(text) {
		return true
	}
	for _, other := range decoded(text) {
		if o.Guard.partly(other) || o.hides(inPrint(other)) {
			return true
		}
	}
	return false
}

// hides reports whether a text contains a secret of the change, or looks as if it does.
func (o *Servers) hides(text string) bool {
	marks := func(s string) int { return strings.Count(s, secret.Redacted) }
	return marks(secret.Scrub(text)) > marks(text) || o.scrub != nil && o.scrub(text) != text
}

// partly reports whether a text has a piece of the guard's random strings, in any letter case and with any
// characters in between.
func (g Guard) partly(text string) bool {
	flat := change.Alphanumeric(text)
	for _, random := range []string{g.Canary, strings.TrimPrefix(g.Fence, "DATA-")} {
		for i := 0; i+inPiece <= len(random); i++ {
			if strings.Contains(flat, random[i:i+inPiece]) {
				return true
			}
		}
	}
	return false
}

// spoken returns the texts of a JSON value, joined.
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

// decoded returns the texts that a text may encode, in base64, in hexadecimal or as part of an address, at
// any offset.
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

// inPrint returns the longer runs of printable characters of decoded bytes.
func inPrint(raw string) string {
	var out []string
	for _, run := range strings.FieldsFunc(raw, func(r rune) bool { return r < ' ' || r > '~' }) {
		if len(run) >= printable {
			out = append(out, run)
		}
	}
	return strings.Join(out, "\n")
}
