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
	upper string // an unquoted word in capitals, or a sign; "" for a quoted name or a string
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
	sqlWord     = regexp.MustCompile(`^[\pL_][\pL\pN_$]*$`)
	sqlDollar   = regexp.MustCompile(`^\$(?:[\pL_][\pL\pN_]*)?\$`)
	sqlPart     = regexp.MustCompile(`^(?:#{0,2}[\pL_@][\pL\pN_$#@]*|[0-9][0-9a-zA-Z_.]*)`)
	sqlName     = regexp.MustCompile(`^\[[^\[\]\n]{1,128}\]`) // a quoted name of SQL Server, or a type of an array
	sqlEscape   = regexp.MustCompile(`^[eE]'(?:[^'\\]|\\.|\\\n)*'?`)
	mySQLString = regexp.MustCompile(`^'(?:[^'\\]|\\.|\\\n)*'?`)
	sqlArray    = regexp.MustCompile(`^\[\s*\d`)
	sqlBatch    = regexp.MustCompile(`(?i)^(?:GO[ \t]*|DELIMITER[ \t][^\n]*)\r?(?:\n|$)`) // of SQL Server and of the client of MySQL
	// downMark and upMark begin the parts of a file that undo and make a change: goose, sql-migrate, micrate, dbmate, Play, Tern, MyBatis,
	// node-pg-migrate and others.
	downMark = regexp.MustCompile(`(?i)^--\s*(?:\+?(?:goose|migrate|micrate|rambler)\s+down|migrate:down|!downs|//\s*@undo)|` +
		`^#\s*---\s*!downs|^--[-=\s]*(?:@?(?:down|undo)(?:\s+migrations?)?|create above / drop below)[-=:\s]*$`)
	upMark = regexp.MustCompile(`(?i)^--\s*(?:\+?(?:goose|migrate|micrate|rambler)\s+up|migrate:up|!ups)|^#\s*---\s*!ups|` +
		`^--[-=\s]*@?up(?:\s+migrations?)?[-=:\s]*$`)
)

// sqlReader divides SQL into statements.
type sqlReader struct {
	text    string // behind what was read
	isMySQL bool   // a backslash escapes a sign of a string
	newLine bool   // only white space stands before the text on its line
	now     sqlStatement
	out     []sqlStatement
	isDown  bool
	noRows  bool // no end of rows follows
	skipped int  // bytes of the text that hold rows and not SQL
	blocks  int  // open blocks of the body of a routine
}

// readSQL divides SQL into statements, without comments, strings, bodies of functions and the parts that undo a migration. plain is the
// SQL itself without comments and strings. ok is false beyond the bounds.
func readSQL(text string, isMySQL bool) (out []sqlStatement, plain string, ok bool) {
	if len(text) > maxSQLBytes {
		return nil, "", false
	}
	r := sqlReader{text: strings.TrimPrefix(text, "\ufeff"), isMySQL: isMySQL, newLine: true}
	line, tokens := 1, 0
	var code strings.Builder
	for r.text != "" {
		n, t := r.next()
		part := r.text[:n]
		switch {
		case t.text != "":
			if tokens++; tokens > maxSQLTokens {
				return nil, "", false
			}
			t.line = line
			code.WriteString(part)
			r.token(t)
			n, r.skipped = max(n, r.skipped), 0
			part = r.text[:n]
		case downMark.MatchString(part):
			r.end()
			r.isDown = true
		case upMark.MatchString(part):
			r.end()
			r.isDown = false
		case sqlBatch.MatchString(part):
			code.WriteString(part)
			r.end()
		case strings.HasPrefix(part, "$"):
			code.WriteString("$$")
		case strings.HasPrefix(part, "'"):
			code.WriteString("''")
		default:
			code.WriteString(" ")
		}
		r.newLine = strings.HasSuffix(part, "\n") || r.newLine && strings.TrimSpace(part) == ""
		line += strings.Count(part, "\n")
		r.text = r.text[n:]
	}
	r.end()
	return r.out, code.String(), true
}

// end ends a statement.
func (r *sqlReader) end() {
	if len(r.now) > 0 && !r.isDown {
		r.out = append(r.out, r.now)
	}
	r.now, r.blocks = nil, 0
}

// token adds a token to the statement, or ends it. The statements in the body of a routine belong to the routine.
func (r *sqlReader) token(t sqlToken) {
	last := r.now.at(len(r.now) - 1)
	switch {
	case t.is(";") && r.blocks == 0:
		if r.now.starts("COPY") && r.now.index("STDIN") > 0 { // rows of data follow
			r.skipped = r.rows()
		}
		r.end()
		return
	case last.is("END") && r.blocks > 0 && !inner[t.upper]:
		r.blocks--
		if t.is(";") && r.blocks == 0 {
			r.end()
			return
		}
	}
	if r.now.isRoutine() && !last.is("END") && (t.is("BEGIN") || t.is("CASE") && r.blocks > 0) {
		r.blocks++
	}
	r.now = append(r.now, t)
}

// rows returns the length of the text up to the end of the rows of a COPY, 0 if no end follows.
func (r *sqlReader) rows() int {
	if r.noRows {
		return 0
	}
	i := strings.Index(r.text, "\n\\.")
	if r.noRows = i < 0; r.noRows {
		return 0
	}
	return i + len("\n\\.")
}

// inner are words behind END that end no block which begins with BEGIN or CASE.
var inner = stringSet(`IF LOOP WHILE REPEAT FOR`)

// isRoutine reports whether a statement makes a function, a procedure or a trigger, whose body can have semicolons.
func (s sqlStatement) isRoutine() bool {
	if !s.at(0).is("CREATE") && !s.at(0).is("ALTER") {
		return false
	}
	for _, t := range s[1:min(len(s), 12)] {
		switch t.upper {
		case "FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "EVENT":
			return true
		case "TABLE", "INDEX", "VIEW", "(":
			return false
		}
	}
	return false
}

// next returns the length of the next part of a text, and its token. Comments, white space, strings and the end of a batch have an empty
// token.
func (r *sqlReader) next() (n int, t sqlToken) {
	text := r.text
	until := func(from int, end string) int {
		if i := strings.Index(text[from:], end); i >= 0 {
			return from + i + len(end)
		}
		return len(text)
	}
	switch c := text[0]; {
	case strings.HasPrefix(text, "--"), c == '#' && (r.newLine || r.isMySQL):
		return until(1, "\n"), t
	case strings.HasPrefix(text, "/*"):
		return until(2, "*/"), t
	case c == '\'' && r.isMySQL:
		return len(mySQLString.FindString(text)), t
	case c == '\'':
		return until(1, "'"), t
	case c == '"', c == '`':
		n = until(1, string(c))
		return n, sqlToken{text: strings.Trim(text[:n], string(c))}
	case c == '$' && !r.isMySQL:
		if mark := sqlDollar.FindString(text); mark != "" {
			return until(len(mark), mark), t
		}
	case c == '[':
		if name := sqlName.FindString(text); name != "" && !sqlArray.MatchString(name) {
			return len(name), sqlToken{text: strings.Trim(name, "[]")}
		}
	case c == 'e', c == 'E':
		if escaped := sqlEscape.FindString(text); escaped != "" {
			return len(escaped), t
		}
	}
	if r.newLine {
		if batch := sqlBatch.FindString(text); batch != "" {
			return len(batch), t
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
