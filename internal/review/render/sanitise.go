package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/review/engine"
)

// Lengths of text fields in characters. The prompt asks for less; what is
// longer is cut.
const (
	maxTitle       = 120
	maxExplanation = 1500
	maxTrigger     = 600
	maxNote        = 240
	maxCodeLines   = 12
)

var (
	mdLink = regexp.MustCompile(`!?\[([^\[\]\n]{0,300})\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)`)
	bare   = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.|mailto:|javascript:|data:[a-z]+/)[^\s<>"'` + "`" + `]*`)
	// mention, reference and GH-1 are what hosts turn into notifications and
	// links: @name, #1, !1, owner/repo#1, GH-1, and closing keywords with them.
	mention = regexp.MustCompile(`(?:^|[^\w])(@[A-Za-z0-9_][\w./-]*|(?i:GH)-\d+)|([#!]\d+)`)
	fenceAt = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[^`]*$")
)

// Text makes Markdown out of plain text that a model or a tool wrote. What
// comes out has only code spans, code blocks, paragraphs and flat lists: raw
// HTML, images, links, mentions, references to issues, quick actions, headings
// and tables of the input are shown as the characters they are, or dropped.
// It is cut to limit characters before it is escaped.
func Text(s string, limit int) string {
	s = cutRunes(clean(s), limit)
	var out []string
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); i++ {
		if m := fenceAt.FindStringSubmatch(lines[i]); m != nil {
			var code []string
			for i++; i < len(lines) && !closes(lines[i], m[1]); i++ {
				code = append(code, lines[i])
			}
			out = append(out, Code(strings.Join(code, "\n"), ""))
			continue
		}
		out = append(out, line(lines[i]))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// Line is [Text] for one line, such as a title.
func Line(s string, limit int) string {
	return line(cutRunes(strings.Join(strings.Fields(clean(s)), " "), limit))
}

// Span makes a code span of any text.
func Span(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if s == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// Code makes a fenced block of any text, cut to a few lines.
func Code(s, info string) string {
	s = strings.TrimRight(clean(s), "\n ")
	if lines := strings.Split(s, "\n"); len(lines) > maxCodeLines {
		s = strings.Join(append(lines[:maxCodeLines:maxCodeLines], "…"), "\n")
	}
	return fenced(s, info)
}

// fenced puts text into a fence that the text cannot close; no text, no line.
func fenced(s, info string) string {
	f := strings.Repeat("`", max(longestRun(s)+1, 3))
	info = strings.Map(func(r rune) rune { // the rest of a path's name may be anything
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' || r == '-') {
			return r
		}
		return -1
	}, info)
	if s != "" {
		s += "\n"
	}
	return f + info + "\n" + s + f
}

func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return engine.StripInvisible(s)
}

func closes(l, fence string) bool {
	t := strings.TrimSpace(l)
	return len(t) >= len(fence) && strings.Trim(t, fence[:1]) == ""
}

// line escapes one line outside code blocks, keeping its code spans.
func line(s string) string {
	indent, item := "", ""
	trimmed := strings.TrimLeft(s, " \t")
	if m := listItem.FindString(trimmed); m != "" {
		item, trimmed = "- ", trimmed[len(m):]
	}
	var b strings.Builder
	for trimmed != "" {
		at := strings.IndexByte(trimmed, '`')
		if at < 0 {
			b.WriteString(prose(trimmed))
			break
		}
		run := len(trimmed[at:]) - len(strings.TrimLeft(trimmed[at:], "`"))
		end := closing(trimmed[at+run:], run)
		if end < 0 { // no span: the backticks are characters
			b.WriteString(prose(trimmed[:at]) + strings.Repeat("\\`", run))
			trimmed = trimmed[at+run:]
			continue
		}
		b.WriteString(prose(trimmed[:at]) + Span(trimmed[at+run:at+run+end]))
		trimmed = trimmed[at+run+end+run:]
	}
	return indent + item + startOfLine(b.String())
}

var listItem = regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)])[ \t]+`)

// closing returns where a run of exactly n backticks begins, -1 if none does.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		j := i
		for j < len(s) && s[j] == '`' {
			j++
		}
		if j-i == n {
			return i
		}
		i = j
	}
	return -1
}

// prose escapes text that is no code.
func prose(s string) string {
	s = mdLink.ReplaceAllString(s, "$1")
	s = bare.ReplaceAllString(s, "(link removed)")
	var b strings.Builder
	for {
		m := mention.FindStringSubmatchIndex(s)
		if m == nil {
			b.WriteString(escape(s))
			return b.String()
		}
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		b.WriteString(escape(s[:from]) + "`" + s[from:to] + "`")
		s = s[to:]
	}
}

// escape puts a backslash before every character that Markdown may give a
// meaning (CommonMark 0.31, section 2.4). An @ or # that is left is set apart
// from what follows, because hosts look for mentions after the escapes are gone.
func escape(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch r {
		case '\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '!', '|', '~', '$', '&':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '@', '#':
			b.WriteRune(r)
			if i+1 < len(runes) && !unicode.IsSpace(runes[i+1]) {
				b.WriteString(" ")
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// startOfLine escapes what has a meaning only at the start of a line: quick
// actions, headings, rules and underlines of headings, quotations, lists.
func startOfLine(s string) string {
	t := strings.TrimLeft(s, " \t")
	if t == "" {
		return ""
	}
	if strings.ContainsRune("/#=-+:", rune(t[0])) {
		return "\\" + t
	}
	return t
}

func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// cutRunes shortens s to at most n characters, with no space before the mark. n
// below 1 is no limit.
func cutRunes(s string, n int) string {
	if n <= 0 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(clip.Runes(s, n-1, "")) + "…"
}
