package cilog

import (
	"strings"

	"github.com/assay-dev/assay/internal/secret"
)

// folds follows a token that a terminal or a command has broken into lines of equal length. The redactor sees two lines
// together, so it would miss the third part of a token, and the second part of a long one.
type folds struct {
	width int  // of the line that the token reaches the end of; 0 outside a token
	whole bool // a line of this width belongs to the token alone
}

// surePart is the length of a word, in bytes, that is taken for the rest of a token. Shorter ones may be the next message.
const surePart = 16

// without returns the text of a line, from its skip on, without a part of a token that began in a line before it.
func (f *folds) without(line string, skip int) string {
	body := line[skip:]
	part := body[:len(body)-len(strings.TrimLeft(body, tokenBytes))]
	switch {
	case f.width > 0 && part == body && len(body) == f.width:
		f.whole = true
		return line[:skip] + dividedMark
	case f.width > 0 && len(part) > 0 && len(body) < f.width && (f.whole || len(part) >= surePart):
		line = line[:skip] + dividedMark + body[len(part):]
	}
	*f = folds{}
	if secret.EndsInToken(body) {
		f.width = len(body)
	}
	return line
}

// tokenBytes are the bytes that tokens have.
const tokenBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~+/="
