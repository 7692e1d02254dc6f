package page

import (
	"path"
	"strings"
	"unicode/utf8"
)

var goWords = words("break case chan const continue default defer else fallthrough for func go goto if import interface map " +
	"package range return select struct switch type var nil true false iota")

var scriptWords = words("as async await break case catch class const continue default delete do else enum export extends false " +
	"finally for from function if implements import in instanceof interface let new null of private public readonly return static " +
	"switch this throw true try type typeof undefined var void while yield")

func words(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

// Colour splits a line of code into coloured tokens by the extension of its file. It sees single lines only,
// so texts over several lines keep the plain colour.
func Colour(name, line string) []Token {
	var keywords map[string]bool
	comment := "//"
	switch path.Ext(name) {
	case ".go", ".mod":
		keywords = goWords
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".json":
		keywords = scriptWords
	case ".py", ".sh", ".yaml", ".yml", ".toml":
		keywords, comment = scriptWords, "#"
	default:
		return []Token{{Text: line}}
	}
	var out []Token
	add := func(class, text string) {
		if n := len(out); n > 0 && out[n-1].Class == class {
			out[n-1].Text += text
			return
		}
		out = append(out, Token{class, text})
	}
	if t := strings.TrimSpace(line); strings.HasPrefix(t, "/**") || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "*/") {
		return []Token{{"c", line}}
	}
	for len(line) > 0 {
		switch {
		case strings.HasPrefix(line, comment):
			add("c", line)
			return out
		case line[0] == '"' || line[0] == '\'' || line[0] == '`':
			n := literal(line)
			add("s", line[:n])
			line = line[n:]
		case wordByte(line[0]):
			n := 1
			for n < len(line) && wordByte(line[n]) {
				n++
			}
			switch w := line[:n]; {
			case keywords[w]:
				add("k", w)
			case w[0] >= '0' && w[0] <= '9':
				add("n", w)
			default:
				add("", w)
			}
			line = line[n:]
		default:
			_, n := utf8.DecodeRuneInString(line)
			add("", line[:n])
			line = line[n:]
		}
	}
	return out
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// literal returns the length of the quoted text at the start of a line.
func literal(line string) int {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && line[0] != '`':
			i++
		case line[i] == line[0]:
			return i + 1
		}
	}
	return len(line)
}
