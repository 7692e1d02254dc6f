package diff

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// QuotePath returns a path for people and programs that read UTF-8. A path that is not UTF-8 is quoted as git quotes it, with octal
// escapes, and so is one that begins with a quotation mark: each path keeps a text of its own.
func QuotePath(path string) string {
	if utf8.ValidString(path) && !strings.HasPrefix(path, `"`) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		c := path[i]
		at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c)
		switch {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
