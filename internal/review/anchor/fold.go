package anchor

import (
	"html"
	"regexp"
	"slices"
	"strings"
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
	return escapedSign.ReplaceAllString(b.String(), "$1")
}

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

// Readings are the [Variants] of a quotation, and the same with signs as they stand in code.
func Readings(quote string) []string {
	out := Variants(quote)
	for _, q := range slices.Clone(out) {
		if f := normalizeQuote(fold(q)); f != q && f != "" {
			out = append(out, f)
		}
	}
	return out
}

// lenient looks for a quotation as [text.exact] does, with the signs of both sides folded.
func (t *text) lenient(quote string, first, last int) match {
	t.foldOnce.Do(func() {
		t.folded = &text{lines: make([]numbered, len(t.lines))}
		for i, l := range t.lines {
			t.folded.lines[i] = numbered{l.no, fold(l.text)}
		}
		t.folded.join()
	})
	return t.folded.exact(normalizeQuote(fold(quote)), first, last)
}
