package anchor

import (
	"slices"
	"strings"
)

var (
	pythonKeywords = wordSet(`False None True and as assert async await break class continue def del elif else except finally for from
		global if import in is lambda nonlocal not or pass raise return try while with yield cdef cpdef ctypedef
		cimport include extern inline rule exec print`)
	pythonOperands = wordSet(`False None True pass break continue`)
	pythonHeaders  = wordSet(`if elif else for while try except finally with def class`)
	pythonSoft     = []string{"match", "case", "type"}
	// pythonAfter says below which statements of the same block a word may stand.
	pythonAfter = map[string][]string{"elif": {"if", "elif"}, "else": {"if", "elif", "for", "while", "except", "try"},
		"except": {"try", "except"}, "finally": {"try", "except", "else"}}
	// pythonOpenEnd has the words behind which a statement goes on.
	pythonOpenEnd = wordSet("= + - * / % @ & | ^ < > . ~ and or not is in if lambda import from class def with for while assert del global")
)

// pythonFirst has the words that nothing but a statement begins with.
var pythonFirst = wordSet(`return def class import raise assert del pass break continue while try except finally with global nonlocal`)

// codeOf returns the words of a statement, without the backslashes at the ends of lines
// that go on in the next one.
func codeOf(lines []line) (code []string, spaced []bool) {
	for i, l := range lines {
		for j, w := range l.code {
			if w == "\\" && j == len(l.code)-1 && i < len(lines)-1 {
				continue
			}
			code, spaced = append(code, w), append(spaced, l.spaced[j] || i > 0 && j == 0)
		}
	}
	return code, spaced
}

// block is an open block of Python, or the file.
type block struct {
	column, narrow int    // with tabs of eight and of one
	header         string // the word that opened it
	before         string // the word that the last statement in it began with
}

// checkPython reads all blocks of a file as the language does: what opens a block is
// followed by one, a block ends where an outer one goes on, tabs and spaces agree,
// and words that need another one above them have it. It checks the new lines for
// operands without an operator between them. A file that fails before the change
// cannot be judged.
func checkPython(_ *layout, now, before *reading, first, last, lastBefore int) bool {
	if !slices.Equal(now.columns(now.after(last)), before.columns(before.after(lastBefore))) {
		return false
	}
	return pythonBlocks(before, 0, -1) && pythonBlocks(now, first, last)
}

// pythonBlocks reads a file; the expressions of statements in lines first to last, too.
func pythonBlocks(r *reading, first, last int) bool {
	open := []block{{}}
	pending := "" // the word of the header whose block must follow
	for i := 1; i < len(r.lines); i++ {
		l := r.lines[i]
		if !l.has() {
			continue
		}
		column, narrow := l.column, len(l.lead)
		top := &open[len(open)-1]
		switch {
		case pending != "":
			if column <= top.column || narrow <= top.narrow {
				return false
			}
			open = append(open, block{column: column, narrow: narrow, header: pending})
		case column > top.column:
			return false
		default:
			for column < open[len(open)-1].column {
				if open[len(open)-1].before == "try" {
					return false
				}
				open = open[:len(open)-1]
			}
			if top = &open[len(open)-1]; column != top.column || narrow != top.narrow {
				return false
			}
		}
		end := r.statement(i)
		code, spaced := codeOf(r.lines[i : end+1])
		if !pythonStatement(open, code) || i <= last && end >= first && !pythonExpression(code, spaced) {
			return false
		}
		word := code[0]
		switch {
		case word == "async" && len(code) > 1:
			word = code[1]
		case word == "cdef" || word == "cpdef":
			word = "def"
		}
		open[len(open)-1].before, pending = word, ""
		if code[len(code)-1] == ":" {
			if !pythonHeaders[word] && !slices.Contains(pythonSoft, word) {
				return false
			}
			pending = word
		}
	}
	for _, b := range open {
		if b.before == "try" {
			return false
		}
	}
	return pending == ""
}

// statement returns the last line of the statement that begins in a line.
func (r *reading) statement(at int) int {
	end := at
	for end+1 < len(r.lines) && r.lines[end+1].inside {
		end++
	}
	return end
}

// pythonStatement checks the word that a statement begins with against the open blocks.
func pythonStatement(open []block, code []string) bool {
	word := code[0]
	if after := pythonAfter[word]; after != nil && !slices.Contains(after, open[len(open)-1].before) {
		return false
	}
	if open[len(open)-1].before == "try" && word != "except" && word != "finally" && word != "else" {
		return false
	}
	within := func(words ...string) bool {
		for _, b := range slices.Backward(open) {
			if slices.Contains(words, b.header) {
				return true
			}
			if b.header == "def" || b.header == "class" {
				return false
			}
		}
		return false
	}
	switch word {
	case "return", "yield":
		return within("def")
	case "break", "continue":
		return within("for", "while")
	}
	return !pythonHeaders[word] || slices.Contains(code, ":")
}

// pythonExpression looks for what no expression has: two operands side by side, a
// sign of another language, and an operator with nothing behind it.
func pythonExpression(code []string, spaced []bool) bool {
	operand := func(w string) bool {
		return pythonOperands[w] || !pythonKeywords[w] && partOfWord([]rune(w)[0])
	}
	literal := func(w string) bool { return w == `"` || w == "'" }
	prefix := func(i int) bool { // of a string
		return len(code[i]) <= 2 && strings.Trim(code[i], "bBfFrRuU") == "" && i+1 < len(code) && literal(code[i+1]) && !spaced[i+1]
	}
	for i, w := range code {
		switch {
		case w == "?" || w == "$" || w == "`" || strings.Contains(w, "$"), w == "\\":
			return false
		case w == "!" && (i+1 == len(code) || code[i+1] != "="):
			return false
		case i == 0 || i == 1 && slices.Contains(pythonSoft, code[0]):
			continue
		}
		left := code[i-1]
		ends := operand(left) || literal(left) || left == ")" || left == "]" || left == "}"
		switch {
		case literal(left) && prefix(i):
		case ends && operand(w) && !(i == 1 && pythonKeywords[left]), ends && literal(w) && !literal(left) && (spaced[i] || !operand(left)):
			return false
		case w == "*" && left == "/" && !spaced[i],
			spaced[i] && strings.Contains("+-*/%|&^<>=", left) && (strings.Contains("/%|&^<>=", w) || w == "*" && left != "="):
			return false
		case pythonFirst[w] && left != ":" && left != ";" && left != "async" && (w != "import" || code[0] != "from"):
			return false
		}
	}
	end, dots := code[len(code)-1], len(code) > 2 && code[0] == "." && code[1] == "."
	switch {
	case slices.Contains([]string{"/", "%", "=", "<", ">", "|", "&", "^", ".", ",", ")", "]", "}", ":"}, code[0]) && !dots,
		len(code) > 1 && code[1] == ":" && (literal(code[0]) || code[0][0] >= '0' && code[0][0] <= '9'):
		return false
	case end == "*" && code[0] == "from" && len(code) > 2 && code[len(code)-2] == "import",
		end == "." && len(code) > 2 && (code[len(code)-3] == "." || code[len(code)-2][0] >= '0' && code[len(code)-2][0] <= '9'):
		return true
	case pythonOpenEnd[end],
		code[0] == "from" && !slices.Contains(code, "import") && !slices.Contains(code, "cimport"):
		return false
	}
	return true
}
