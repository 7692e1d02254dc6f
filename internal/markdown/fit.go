package markdown

import (
	"strings"
	"unicode/utf8"
)

// scanner tracks the fences and folds of a text line by line.
type scanner struct {
	indent, fence string // of the open code block, or ""
	folds         int    // number of open folds
}

// next reads one line and reports whether it is code or a fence.
func (s *scanner) next(line string) (code bool) {
	t := strings.TrimLeft(line, " ")
	run := len(t) - len(strings.TrimLeft(t, "`"))
	switch {
	case s.fence != "":
		if run >= len(s.fence) && strings.TrimSpace(t[run:]) == "" {
			s.fence = ""
		}
		return true
	case run >= 3 && !strings.Contains(t[run:], "`"):
		s.indent, s.fence = line[:len(line)-len(t)], t[:run]
		return true
	case strings.HasPrefix(line, "<details>"):
		s.folds++
	case line == "</details>":
		s.folds--
	}
	return false
}

// end returns the text that closes everything open, starting with a line break.
func (s *scanner) end() string {
	out := ""
	if s.fence != "" {
		out = "\n" + s.indent + s.fence
	}
	return out + strings.Repeat("\n\n</details>", max(s.folds, 0))
}

// Cut shortens a text to at most n characters, at the end of a line. It closes open fences and folds and
// appends note. n below 1 means no limit. It returns the empty text if n has no room for note.
func (t Text) Cut(n int, note Text) Text {
	if n < 1 || t.Len() <= n {
		return t
	}
	room := n - utf8.RuneCountInString("\n\n"+note.s)
	if room < 0 {
		return Text{}
	}
	var s scanner
	at, length, most, closed := 0, 0, 0, ""
	for line := range strings.Lines(t.s) {
		if length += utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); length > room {
			break
		}
		s.next(strings.TrimSuffix(line, "\n"))
		if end := s.end(); length+utf8.RuneCountInString(end) <= room {
			most, closed = at+len(strings.TrimSuffix(line, "\n")), end
		}
		at, length = at+len(line), length+1
	}
	best := strings.TrimRight(t.s[:most]+closed, "\n")
	if best == "" {
		return note
	}
	return Text{best + "\n\n" + note.s}
}

// blocks splits a text at blank lines outside code.
func blocks(t string) []string {
	var s scanner
	var out []string
	from, at := 0, 0 // start and end of the current block in bytes
	for line := range strings.SplitSeq(t, "\n") {
		if code := s.next(line); !code && line == "" {
			if from < at {
				out = append(out, t[from:at-1])
			}
			from = at + 1
		}
		at += len(line) + 1
	}
	if from < at-1 {
		out = append(out, t[from:])
	}
	return out
}

// Scan passes the finished text to a search for secrets. A paragraph with a replacement becomes a code
// block, because the replaced part may have contained half of its Markdown.
func (t Text) Scan(redact func(string) string) Text {
	if redact(t.s) == t.s {
		return t
	}
	all := blocks(t.s)
	for i, b := range all {
		if r := redact(b); r != b {
			all[i] = fenced(clean(r), "")
		}
	}
	s := strings.Join(all, "\n\n")
	if r := redact(s); r != s {
		s = fenced(clean(r), "")
	}
	return Text{s}
}
