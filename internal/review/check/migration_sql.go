package check

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of a file of SQL (design choices).
const (
	maxSQLBytes  = 1 << 20
	maxSQLTokens = 200_000
)

// sqlToken is a word, a quoted name or a sign of SQL.
type sqlToken struct {
	text  string // without quotes
	upper string // of a word without quotes in capitals, of a sign itself, "" for a quoted name or a string
	line  int
}

func (t sqlToken) is(word string) bool { return t.upper == word }

// sqlStatement is one statement without its semicolon.
type sqlStatement []sqlToken

// at returns a token, an empty one beyond the end.
func (s sqlStatement) at(i int) sqlToken {
	if i < 0 || i >= len(s) {
		return sqlToken{}
	}
	return s[i]
}

// starts reports whether a statement starts with words.
func (s sqlStatement) starts(words ...string) bool {
	for i, w := range words {
		if !s.at(i).is(w) {
			return false
		}
	}
	return true
}

// index returns the place of the first word of that name outside parentheses, -1 without one.
func (s sqlStatement) index(word string) int {
	depth := 0
	for i, t := range s {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case depth == 0 && t.is(word):
			return i
		}
	}
	return -1
}

// skip returns the place behind words if all of them stand at i, else i.
func (s sqlStatement) skip(i int, words ...string) int {
	if i <= len(s) && s[i:].starts(words...) {
		return i + len(words)
	}
	return i
}

// name returns the last part of the name at i in lower case, "" for a sign or a string.
func (s sqlStatement) name(i int) string {
	for s.at(i+1).text == "." && s.at(i+2).text != "" {
		i += 2
	}
	t := s.at(i)
	if t.text == "" || t.upper != "" && !sqlWord.MatchString(t.text) {
		return ""
	}
	return strings.ToLower(t.text)
}

// actions returns the parts of a statement between commas outside parentheses.
func (s sqlStatement) actions() (out []sqlStatement) {
	depth, start := 0, 0
	for i, t := range s {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case depth == 0 && t.text == "," && t.upper == ",":
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

var (
	sqlWord   = regexp.MustCompile(`^[\pL_][\pL\pN_$]*$`)
	sqlDollar = regexp.MustCompile(`^\$(?:[\pL_][\pL\pN_]*)?\$`)
	sqlPart   = regexp.MustCompile(`^(?:[\pL_][\pL\pN_$]*|[0-9][0-9a-zA-Z_.]*)`)
	// downMark and upMark begin the parts of a file that undo and make a change: goose, sql-migrate, dbmate, Play.
	downMark = regexp.MustCompile(`(?i)^--\s*(?:\+goose\s+down|\+migrate\s+down|migrate:down|!downs)|^#\s*---\s*!downs`)
	upMark   = regexp.MustCompile(`(?i)^--\s*(?:\+goose\s+up|\+migrate\s+up|migrate:up|!ups)|^#\s*---\s*!ups`)
)

// readSQL divides SQL into statements, without comments, strings, bodies of functions and the parts that undo a migration. ok is false
// beyond the bounds.
func readSQL(text string) (out []sqlStatement, ok bool) {
	if len(text) > maxSQLBytes {
		return nil, false
	}
	var now sqlStatement
	line, tokens, isDown := 1, 0, false
	end := func() {
		if len(now) > 0 && !isDown {
			out = append(out, now)
		}
		now = nil
	}
	for text != "" {
		n, t := nextSQL(text)
		switch part := text[:n]; {
		case downMark.MatchString(part):
			end()
			isDown = true
		case upMark.MatchString(part):
			end()
			isDown = false
		case t.upper == ";":
			end()
		case t.text != "":
			if tokens++; tokens > maxSQLTokens {
				return nil, false
			}
			t.line = line
			now = append(now, t)
		}
		line += strings.Count(text[:n], "\n")
		text = text[n:]
	}
	end()
	return out, true
}

// nextSQL returns the length of the next part of a text, and its token. Comments, white space and strings have an empty token.
func nextSQL(text string) (n int, t sqlToken) {
	until := func(from int, end string) int {
		if i := strings.Index(text[from:], end); i >= 0 {
			return from + i + len(end)
		}
		return len(text)
	}
	switch c := text[0]; {
	case strings.HasPrefix(text, "--"), c == '#':
		return until(1, "\n"), t
	case strings.HasPrefix(text, "/*"):
		return until(2, "*/"), t
	case c == '\'':
		return until(1, "'"), t
	case c == '"', c == '`':
		n = until(1, string(c))
		return n, sqlToken{text: strings.Trim(text[:n], string(c))}
	case c == '$':
		if mark := sqlDollar.FindString(text); mark != "" {
			return until(len(mark), mark), t
		}
	case c == '[':
		if i := strings.IndexAny(text, "]\n"); i > 1 && text[i] == ']' && sqlWord.MatchString(text[1:i]) {
			return i + 1, sqlToken{text: text[1:i]}
		}
	}
	if strings.TrimSpace(text[:1]) == "" {
		return 1, t
	}
	if word := sqlPart.FindString(text); word != "" {
		return len(word), sqlToken{text: word, upper: strings.ToUpper(word)}
	}
	return 1, sqlToken{text: text[:1], upper: text[:1]}
}
