package diff

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode"
)

// near is how many context lines around a changed line are part of a hunk's identity: as many as git shows
// (git-diff, "-U").
const near = 3

// Identify sets the identifier of every hunk: 64 hexadecimal digits of the SHA-256 of the canonical path,
// the result of enclosing, the added and removed lines, and the context beside them without white space.
// The identifier contains no line numbers, so it survives a rebase that leaves the surroundings unchanged.
// It changes if the hunk moves to another place. It also contains the number of equal hunks in the file, so
// that a further equal hunk changes them all.
//
// enclosing returns the part of the file that contains a hunk, such as a function. [Parse] uses the text
// after git's hunk header; callers that have the file can do better.
func (s *Set) Identify(enclosing func(*File, *Hunk) string) {
	for _, f := range s.Files {
		equal := map[string]int{}
		for _, h := range f.Hunks {
			h.ID = hunkID(f.CanonicalPath(), enclosing(f, h), h.Lines)
			equal[h.ID]++
		}
		for _, h := range f.Hunks {
			if n := equal[h.ID]; n > 1 {
				h.ID = digest(h.ID, binary.BigEndian.AppendUint64(nil, uint64(n)))
			}
		}
	}
}

// section returns the text that the diff has about the place of a hunk.
func section(_ *File, h *Hunk) string { return h.Section }

func hunkID(path, enclosing string, lines []Line) string {
	var b []byte
	for i, l := range lines {
		text := l.Text
		if l.Op == Context {
			if text = squeeze(text); text == "" || !beside(lines, i) {
				continue
			}
		}
		b = append(b, byte(l.Op))
		b = binary.BigEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	return digest("hunk/v2", []byte(path), []byte(squeeze(enclosing)), b)
}

// beside reports whether a line is near a changed line.
func beside(lines []Line, at int) bool {
	for _, l := range lines[max(at-near, 0):min(at+near+1, len(lines))] {
		if l.Op != Context {
			return true
		}
	}
	return false
}

// digest hashes the parts with their lengths, so that different lists never have the same input.
func digest(kind string, parts ...[]byte) string {
	h := sha256.New()
	h.Write([]byte(kind))
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// squeeze removes all white space from a text.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
