package check

import (
	"strings"

	"github.com/assay-dev/assay/internal/clip"
)

// The shortest values that the rules of gitleaks find: behind a sign such as = or :, with letters only there, and without a sign.
const (
	minBehindSign    = 8
	minLettersBehind = 14
	minBare          = 16
	minAnyForm       = 80 // of a value that may begin with a slash
)

// oddForms begin the texts whose secrets have another form than one long word, in lower case: keys of several lines, options
// of curl, and values of Kubernetes.
var oddForms = []string{"-----begin", "curl", "secret"}

// MayHold reports whether [Scanner.ScanText] can find a secret in a text. It costs a small part of a scan, and true is not a proof.
// A text with invisible characters is judged without them, too.
func MayHold(text string) bool {
	if mayHold(text) {
		return true
	}
	shown := clip.Visible(text)
	return shown != text && mayHold(shown)
}

func mayHold(text string) bool {
	if longWord(text) {
		return true
	}
	lower := lowerASCII(text)
	for _, form := range oddForms {
		if strings.Contains(lower, form) {
			return true
		}
	}
	return len(secretsByPosition("", text)) > 0
}

// longWord reports whether a text has a word that is long enough for a secret.
func longWord(text string) bool {
	length, bare, behind := 0, 0, false // bytes of the word, bytes since its last slash or plus, and whether a sign stands before it
	letters, marked := true, false      // the word has letters only, and the bare part has a digit or an upper-case letter
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z':
			length, bare = length+1, bare+1
		case c >= 'A' && c <= 'Z':
			length, bare, marked = length+1, bare+1, true
		case c >= '0' && c <= '9':
			length, bare, marked, letters = length+1, bare+1, true, false
		case c == '=': // a sign, or a part of the value
			if behind = true; length > 0 {
				length, bare, letters = length+1, bare+1, false
			}
		case strings.IndexByte("_.-=~%", c) >= 0:
			length, bare, letters = length+1, bare+1, false
		case c == '/', c == '+':
			behind = behind && length > 0 // short values do not begin so
			length, bare, marked, letters = length+1, 0, false, false
		case strings.IndexByte("=>:|,", c) >= 0:
			length, bare, behind, letters, marked = 0, 0, true, true, false
		case strings.IndexByte("`'\" \t\r\n\f\v", c) >= 0:
			behind = behind && length == 0
			length, bare, letters, marked = 0, 0, true, false
		default:
			length, bare, behind, letters, marked = 0, 0, false, true, false
		}
		if bare >= minBare && marked || length >= minAnyForm || behind && (length >= minLettersBehind || length >= minBehindSign && !letters) {
			return true
		}
	}
	return false
}
