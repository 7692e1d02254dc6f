package anchor

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fold writes signs as they stand in code that an answer writes in another way: entities of
// HTML, full-width forms, typographic marks, escapes of Markdown, and what is not visible. It is for
// comparisons only; whoever folds both sides loses no difference that matters in code.
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
		case r >= '！' && r <= '～': // full-width forms of the printable signs of ASCII
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

// escapedCode matches a visible sign of ASCII that a string escapes by its number.
var escapedCode = regexp.MustCompile(`\\(?:u00|x)(?:2[1-9A-Fa-f]|[3-6][0-9A-Fa-f]|7[0-9A-Ea-e])`)

// escapedSign matches a sign that Markdown or a string escapes with a backslash.
var escapedSign = regexp.MustCompile(`\\([^\s\w])`)

// folded has signs that stand for others.
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

// tight leaves out the spaces of a normalised text that separate no two words.
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

// Readings are the normalised forms of a quotation: its [variants], the same with signs as they stand in
// code, and those without decoration.
func Readings(quote string) []string {
	bare, spans := undressed(quote)
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

// foldedText is the text with the signs of its lines folded, without spaces that separate no words.
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

// lenient looks for a quotation as [text.exact] does, with the signs of both sides folded and
// whatever spaces stand between tokens.
func (t *text) lenient(quote string, first, last int) match {
	return t.foldedText().exact(tight(normalizeQuote(fold(quote))), first, last)
}

// way is a way to look for a quotation.
type way struct {
	look search
	bare bool // for its forms without decoration
}

// ways are those in which quotations of models are looked for, the most exact first.
var ways = []way{{look: (*text).exact}, {look: (*text).lenient}, {(*text).exact, true}, {(*text).lenient, true}, {look: (*text).elided}, {(*text).elided, true}}

// in looks for a quotation in a text.
func (w way) in(t *text, quote string, first, last int) match {
	forms, spans := variants(quote), []string(nil)
	if w.bare {
		forms, spans = undressed(quote)
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
