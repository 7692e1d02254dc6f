// Package logsafe keeps text from outside from giving commands to the system that
// runs a pipeline.
//
// Systems of continuous integration read the output of a job and obey some of its
// lines: workflow commands of GitHub, Gitea and Forgejo ("::name::" at the beginning of
// a line, "##[name]"), logging commands of Azure Pipelines ("##vso[", "##["), service
// messages of TeamCity and Octopus ("##teamcity[", "##octopus["), section markers of
// GitLab ("section_start:", "section_end:") and folds of Travis ("travis_fold:",
// "travis_time:"). A [Writer] breaks them visibly. What a terminal obeys is not looked
// at here.
package logsafe

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxTail bounds the characters of a line that are remembered. The longest name that a
// command begins with is much shorter.
const maxTail = 64

// Writer breaks commands in what is written through it: the character that would
// complete a command is written as an escape such as \u{3a}. A command that comes in
// several writes is broken, too. Its methods are safe for concurrent use.
type Writer struct {
	mu     sync.Mutex
	w      io.Writer
	tail   []rune // the end of the line so far, in lower case, without invisible characters
	within bool   // the line has more than white space and colons
	escape escape
}

// escape says which part of a terminal's control sequence was written last (ECMA-48, 5.4).
type escape int

const (
	noEscape escape = iota
	escapeBegun
	escapeParameters
)

// New returns a Writer in front of w. A w that is a Writer already is returned as it is.
func New(w io.Writer) *Writer {
	if s, ok := w.(*Writer); ok {
		return s
	}
	return &Writer{w: w}
}

// Raw returns the writer behind a [Writer], for output that only programs read. Any
// other writer is returned as it is.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Writer); ok {
		return s.w
	}
	return w
}

// Write implements [io.Writer]. The count is that of b, whatever escapes were added.
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

// completes takes the next character, and reports whether it completes a command.
func (s *Writer) completes(r rune, size int) bool {
	switch {
	case breaksLine(r):
		s.tail, s.within, s.escape = s.tail[:0], false, noEscape
		return false
	case s.inEscape(r), unseen(r, size):
		return false // readers may skip it, so the command goes on behind it
	}
	broken := r == ':' && (!s.within && s.ends(":") || s.ends("section_start") || s.ends("section_end") || s.ends("travis_fold") || s.ends("travis_time")) ||
		r == '[' && s.named()
	if broken {
		s.tail, s.within = s.tail[:0], true
		return true
	}
	if !unicode.IsSpace(r) && r != ':' {
		s.within = true
	}
	if unicode.IsSpace(r) && !s.within {
		r = ' ' // only the second of two colons in a row completes a command
	}
	if len(s.tail) == maxTail {
		s.tail = append(s.tail[:0], s.tail[1:]...)
	}
	s.tail = append(s.tail, unicode.ToLower(r))
	return false
}

// inEscape reports whether a character belongs to a control sequence of a terminal, as
// colours and erasing are written. Rarer ones count as text, because they may hold what a
// command begins with.
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

// named reports whether the line ends with two number signs and the rest of a name.
func (s *Writer) named() bool {
	line := string(s.tail)
	at := strings.LastIndex(line, "##")
	return at >= 0 && !strings.ContainsFunc(line[at+2:], func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// breaksLine reports whether some reader of a log begins a line behind a character.
func breaksLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// unseen reports whether a reader that compares text by the rules of a language skips a
// character, or may not be able to read it.
func unseen(r rune, size int) bool {
	return r == utf8.RuneError && size == 1 || r != '\t' && unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector)
}
