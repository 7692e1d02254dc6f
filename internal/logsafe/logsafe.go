// Package logsafe prevents text from outside from giving commands to a CI system.
//
// CI systems read a job's output and obey some of its lines: workflow commands of GitHub, Gitea and Forgejo
// ("::name::" at the beginning of a line, "##[name]"), logging commands of Azure Pipelines ("##vso[",
// "##["), service messages of TeamCity and Octopus ("##teamcity[", "##octopus["), section markers of GitLab
// ("section_start:", "section_end:") and folds of Travis ("travis_fold:", "travis_time:"). A [Writer]
// breaks them visibly. It does not remove terminal control sequences.
package logsafe

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxTail is how many characters of a line are remembered. The longest beginning of a command is much
// shorter.
const maxTail = 64

// Writer breaks commands in its output: it replaces the character that would complete a command by an
// escape such as \u{3a}, even if the command spans several writes. It is safe for concurrent use.
type Writer struct {
	mu     sync.Mutex
	w      io.Writer
	tail   []rune // the end of the line so far, in lower case, without invisible characters
	within bool   // the line has characters other than white space and colons
	escape escape
}

// escape is the last written part of a terminal control sequence (ECMA-48, 5.4).
type escape int

const (
	noEscape escape = iota
	escapeBegun
	escapeParameters
)

// New returns a Writer in front of w, or w itself if it is already a Writer.
func New(w io.Writer) *Writer {
	if s, ok := w.(*Writer); ok {
		return s
	}
	return &Writer{w: w}
}

// Raw returns the writer behind a [Writer], for output that only programs read. It returns any other writer
// unchanged.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Writer); ok {
		return s.w
	}
	return w
}

// Write implements [io.Writer]. The count is in bytes of b, without added escapes.
func (s *Writer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]byte, 0, len(b))
	for rest := b; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if s.completes(r, size) {
			out = fmt.Appendf(out, `\u{%x}`, r)
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	if n, err := s.w.Write(out); err != nil {
		return min(n, len(b)), err
	}
	return len(b), nil
}

// completes reports whether the next character completes a command.
func (s *Writer) completes(r rune, size int) bool {
	switch {
	case breaksLine(r):
		s.tail, s.within, s.escape = s.tail[:0], false, noEscape
		return false
	case s.inEscape(r), unseen(r, size):
		return false // readers may skip it, so the command continues after it
	}
	broken := r == ':' && (!s.within && s.ends(":") || s.ends("section_start") || s.ends("section_end") || s.ends("travis_fold") ||
		s.ends("travis_time")) ||
		r == '[' && s.named()
	if broken {
		s.tail, s.within = s.tail[:0], true
		return true
	}
	if !unicode.IsSpace(r) && r != ':' {
		s.within = true
	}
	if unicode.IsSpace(r) && !s.within {
		r = ' ' // only two adjacent colons complete a command
	}
	if len(s.tail) == maxTail {
		s.tail = append(s.tail[:0], s.tail[1:]...)
	}
	s.tail = append(s.tail, unicode.ToLower(r))
	return false
}

// inEscape reports whether a character belongs to a usual terminal control sequence, such as colours and
// erasing. Rarer sequences count as text, because they may contain the beginning of a command.
func (s *Writer) inEscape(r rune) bool {
	switch {
	case r == '\x1b':
		s.escape = escapeBegun
		return true
	case s.escape == escapeBegun && r == '[':
		s.escape = escapeParameters
		return true
	case s.escape == escapeParameters && (r >= '0' && r <= '9' || r == ';' || r == '?'):
		return true
	}
	was := s.escape
	s.escape = noEscape
	return was == escapeParameters && (r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
}

func (s *Writer) ends(with string) bool { return strings.HasSuffix(string(s.tail), with) }

// named reports whether the line ends with two number signs and a name.
func (s *Writer) named() bool {
	line := string(s.tail)
	at := strings.LastIndex(line, "##")
	return at >= 0 && !strings.ContainsFunc(line[at+2:], func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// breaksLine reports whether a log reader may begin a new line after a character.
func breaksLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// unseen reports whether a reader may skip or fail to read a character, for example when it compares text
// by the rules of a language.
func unseen(r rune, size int) bool {
	return r == utf8.RuneError && size == 1 || r != '\t' && unicode.IsControl(r) ||
		unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector)
}
