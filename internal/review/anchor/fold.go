package anchor

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fold replaces other spellings of a sign by the sign in code: HTML entities, full-width forms, typographic
// marks, Markdown escapes, and invisible characters. It is for comparisons in which both sides are folded;
// no difference that matters in code is then lost.
func fold(s string) string {
	for range 2 { // some are escaped twice
		if strings.IndexByte(s, '&') < 0 {
			break
		}
		s = html.UnescapeString(s)
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteByte(byte(r))
		case r >= '！' && r <= '～': // full-width forms of the printable ASCII signs
			b.WriteRune(r - '！' + '!')
		default:
			if to, known := folded[r]; known {
				b.WriteString(to)
			} else {
				b.WriteRune(r)
			}
		}
	}
	out := escapedCode.ReplaceAllStringFunc(b.String(), func(s string) string {
		n, _ := strconv.ParseUint(s[len(s)-2:], 16, 8)
		return string(rune(n))
	})
	return escapedSign.ReplaceAllString(out, "$1")
}

// escapedCode matches a visible ASCII sign that a string escapes by its number.
var escapedCode = regexp.MustCompile(`\\(?:u00|x)(?:2[1-9A-Fa-f]|[3-6][0-9A-Fa-f]|7[0-9A-Ea-e])`)

// escapedSign matches a sign that Markdown or a string escapes with a backslash.
var escapedSign = regexp.MustCompile(`\\([^\s\w])`)

// folded maps signs to those that they stand for.
var folded = func() map[rune]string {
	out := map[rune]string{}
	for to, from := range map[string]string{
		`"`: "“”„‟«»″〝〞", `'`: "‘’‚‛‹›′´ʼ", "-": "‐‑‒–—―−﹣", "...": "…", " ": "\u00a0\u2002\u2003\u2009\u202f\u3000",
		"":   "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f",
		"<=": "≤⩽", ">=": "≥⩾", "!=": "≠", "->": "→", "=>": "⇒",
		"(": "﹙⁽", ")": "﹚⁾", "|": "∣", ":": "∶", "/": "∕⁄", "*": "∗", "~": "∼", "&": "﹠",
	} {
		for _, r := range from {
			out[r] = to
		}
	}
	return out
}()

// tight removes the spaces of a normalised text that do not separate two words.
func tight(s string) string {
	var b strings.Builder
	before := ' '
	for i, r := range s {
		if r == ' ' {
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !word(before) || !word(after) {
				continue
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// Readings returns the normalised forms of a quotation: its [variants], their folded forms, and the forms
// without decoration.
func Readings(quote string) []string {
	bare, spans := undecorated(quote)
	out := variants(quote)
	for _, q := range slices.Concat(out, bare, spans) {
		for _, f := range []string{q, normalizeQuote(fold(q))} {
			if f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// foldedText returns the text with its lines folded, without spaces that do not separate words.
func (t *text) foldedText() *text {
	t.foldOnce.Do(func() {
		f := &text{lines: make([]numbered, len(t.lines))}
		var b strings.Builder
		last := ' '
		for i, l := range t.lines {
			line := tight(strings.Join(strings.Fields(fold(l.text)), " "))
			if first, _ := utf8.DecodeRuneInString(line); line != "" && word(last) && word(first) {
				b.WriteByte(' ')
			}
			f.lines[i] = numbered{l.no, line}
			f.starts = append(f.starts, b.Len())
			if b.WriteString(line); line != "" {
				last, _ = utf8.DecodeLastRuneInString(line)
			}
		}
		f.joined = b.String()
		t.folded = f
	})
	return t.folded
}

// lenient looks for a quotation like [text.exact], but folds the signs of both sides and ignores spaces
// between tokens.
func (t *text) lenient(quote string, first, last int) match {
	return t.foldedText().exact(tight(normalizeQuote(fold(quote))), first, last)
}

// searchWay is a way to look for a quotation.
type searchWay struct {
	look search
	bare bool // searches the forms without decoration
}

// ways lists the ways in which models' quotations are searched, most exact first.
var ways = []searchWay{{look: (*text).exact}, {look: (*text).lenient}, {(*text).exact, true}, {(*text).lenient, true},
	{look: (*text).elided}, {(*text).elided, true}}

// in looks for a quotation in a text.
func (w searchWay) in(t *text, quote string, first, last int) match {
	forms, spans := variants(quote), []string(nil)
	if w.bare {
		forms, spans = undecorated(quote)
	}
	similarity := 0.0
	for i, q := range slices.Concat(forms, spans) {
		m := w.look(t, q, first, last)
		if m.found && (!w.bare || i < len(forms) && letters(q) >= minBare || distance(m, first, last) <= nearClaim) {
			return m
		}
		similarity = max(similarity, m.similarity)
	}
	return match{similarity: similarity}
}
