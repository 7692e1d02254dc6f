package anchor

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// maxLex bounds the bytes that a lexer gets: lexers work with regular
// expressions over text from outside, about 1 MB per second.
const maxLex = 256 << 10

// lexerFor returns chroma's lexer of a language, nil if it has none.
func lexerFor(language string) chroma.Lexer {
	if language == "" {
		return nil
	}
	return lexers.Get(language)
}

// tokenize splits a text into tokens. On an error of the lexer the rest is one
// token, so that nothing is lost.
func tokenize(lexer chroma.Lexer, s string) (out []chroma.Token) {
	done := 0
	defer func() {
		if recover() != nil { // the lexer gets bytes from outside
			out = append(out, chroma.Token{Type: chroma.Text, Value: s[min(done, len(s)):]})
		}
	}()
	it, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, s)
	if err != nil {
		return []chroma.Token{{Type: chroma.Text, Value: s}}
	}
	for t := it(); t != chroma.EOF; t = it() {
		out = append(out, t)
		done += len(t.Value)
	}
	return out
}

// normLines returns for every line of a text its tokens without comments and
// white space, joined by spaces; identifiers and literals are kept. Without a
// lexer the words of the line are used.
func normLines(language, s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := make([]string, strings.Count(s, "\n")+1)
	lexer := lexerFor(language)
	if lexer == nil || len(s) > maxLex {
		i := 0
		for l := range strings.SplitSeq(s, "\n") {
			lines[i] = strings.Join(strings.Fields(l), " ")
			i++
		}
		return lines
	}
	at := 0
	put := func(s string) {
		if s = strings.Join(strings.Fields(s), " "); s == "" || at >= len(lines) {
			return
		}
		if lines[at] != "" {
			lines[at] += " "
		}
		lines[at] += s
	}
	for _, t := range tokenize(lexer, s) {
		comment := t.Type.InCategory(chroma.Comment) && !t.Type.InSubCategory(chroma.CommentPreproc)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				at++
			}
			if !comment {
				put(part)
			}
		}
	}
	return lines
}
