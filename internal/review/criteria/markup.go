package criteria

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Tags and attributes that only name words or say how they look.
var (
	plainTags = splitSet("p div span b i em strong small h1 h2 h3 h4 h5 h6 li ul ol dl dt dd table thead tbody tr td th br hr " +
		"section article header footer main body html head title a pre code text string data value note desc description summary comment")
	plainAttributes = regexp.MustCompile(`(?i)[\s](?:class|id|style|lang|title|alt|name|content|aria-[\w-]*|data-[\w-]*|` +
		`placeholder|summary|label|description|xml:lang)\s*(?:=|$)`)
	tagName = regexp.MustCompile(`^</?([\pL][\pL\pN:._-]*)`)
	opening = map[string]string{"{{": "}}", "{%": "%}", "<%": "%>", "<?": "?>", "${": "}", "{": "}"}
)

// markupParts marks the bytes of a text with tags that are code, and those that are tags with an effect. All
// others are text for people.
type markupParts struct{ code, tags []bool }

// markupIn finds code in scripts, styles and braces, and tags with an effect.
func markupIn(text string) markupParts {
	out := markupParts{make([]bool, len(text)), make([]bool, len(text))}
	mark := func(list []bool, from, to int) {
		for i := from; i < to; i++ {
			list[i] = true
		}
	}
	for i := 0; i < len(text); {
		if end, ok := embedded(text, i); ok {
			mark(out.code, i, end)
			i = end
			continue
		}
		m := tagName.FindStringSubmatch(text[i:min(len(text), i+64)])
		if m == nil {
			i++
			continue
		}
		end, name := tagEnd(text, i), strings.ToLower(m[1])
		if !plainTags[name] {
			mark(out.tags, i, i+len(m[0]))
		}
		mark(out.tags, i+len(m[0]), max(i+len(m[0]), end-1))
		for _, a := range plainAttributes.FindAllStringIndex(text[i:end], -1) {
			for n := i + a[0]; n < i+a[1]; n++ {
				out.tags[n] = false
			}
		}
		i = end
		if name == "script" || name == "style" {
			stop := strings.Index(strings.ToLower(text[i:]), "</"+name)
			if stop < 0 {
				stop = len(text) - i
			}
			mark(out.code, i, i+stop)
			i += stop
		}
	}
	return out
}

// embedded returns the end of code in braces that begins at a place.
func embedded(text string, at int) (end int, ok bool) {
	for _, open := range []string{"{{", "{%", "<%", "<?", "${", "{"} {
		if !strings.HasPrefix(text[at:], open) {
			continue
		}
		if n := strings.Index(text[at:min(len(text), at+maxEmbedded)], opening[open]); n > 0 {
			return at + n + len(opening[open]), true
		}
		return at, false
	}
	return at, false
}

// maxEmbedded bounds a piece of code in braces, in bytes.
const maxEmbedded = 500

// tagEnd returns the end of a tag: behind its bracket, without brackets in quotes.
func tagEnd(text string, at int) int {
	quote := byte(0)
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(text)
}
