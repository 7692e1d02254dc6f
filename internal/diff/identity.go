package diff

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode"
)

// near is how many context lines before and after a changed line belong to its
// identity: as many as git shows (git-diff, "-U").
const near = 3

// Identify gives every hunk its identifier: 64 hexadecimal digits of the SHA-256
// of the canonical path, the words that enclosing returns, the added and removed
// lines, and the context next to them without white space. It has no line
// numbers, so a hunk keeps it over rebases that change nothing around it; moved
// elsewhere it has another one. How many equal hunks a file has is part of it: a
// further one makes all of them new.
//
// enclosing says in what part of the file a hunk stands, such as a function.
// [Parse] has only what git wrote behind the header of the hunk; who has the file
// knows better.
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

// section is what the diff itself says about the place of a hunk.
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

// beside reports whether a line stands next to a changed one.
func beside(lines []Line, at int) bool {
	for _, l := range lines[max(at-near, 0):min(at+near+1, len(lines))] {
		if l.Op != Context {
			return true
		}
	}
	return false
}

// digest hashes parts with their lengths, so that no two lists give one input.
func digest(kind string, parts ...[]byte) string {
	h := sha256.New()
	h.Write([]byte(kind))
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// squeeze takes all white space out of a text.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
