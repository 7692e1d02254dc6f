package anchor

import (
	"slices"
	"strings"
)

// statements describes how a language ends its statements, for languages or parts that a parser does not
// read here.
type statements struct {
	semicolons             bool            // semicolons end all statements but blocks
	parsed                 bool            // a parser reads the code between the ends
	trailing               bool            // a comma may stand behind the last argument
	joins                  bool            // adjacent strings are one string
	attributes             bool            // attributes stand in brackets before their declaration
	tail                   bool            // the last statement of a block may lack its semicolon
	openers, continuations map[string]bool // words that end a line that goes on, and words that begin a continued line
	mark                   string          // begins an expression in a string, up to a brace
	ends                   *blockEnds
}

// blockEnds holds the words that open and end blocks.
type blockEnds struct {
	always, first map[string]bool // words that open a block anywhere, or only at the beginning of a statement
	loops         map[string]bool // words whose block opens with "do" in the same line
	resets        map[string]bool // words that begin a line only outside brackets
	end           string
}

var (
	// openWords end a line that goes on.
	openWords = wordSet(`and or xor not in is as instanceof extends implements throws where else catch finally new return throw case
		default public private protected static final abstract const constexpr inline extern virtual override sealed async await
		unsafe pub let mut val var fun func fn function def class interface struct enum union trait impl typedef using namespace import
		export void int long char float double bool boolean unsigned signed short noexcept volatile readonly suspend infix php echo
		if unless for do then end`)
	// continuationWords begin a line that continues the one before.
	continuationWords = wordSet(`and or xor in is as instanceof insteadof extends implements throws where else catch finally when with by while
		satisfies of noexcept select group orderby join on equals into from ascending descending`)
	continuationWordsInLists = wordSet(`and or xor not in is as where else by of if unless for do then end`)
	// itemWords are SQL words that end an item of a list.
	itemWords = wordSet("null nulls key true false unique asc desc auto_increment autoincrement end cascade restrict")
	sqlWords  = wordSet(`add all alter analyze and any as asc authorization begin between both by call cascade case cast check close
		collate column comment commit constraint create cross current cursor database declare default deferrable delete desc distinct do drop
		each else elsif end engine except exception exec execute exists explain external fetch filter first following for force foreign from full
		function generated go grant group having if ignore immutable in index inherits initially inner insert intersect interval into
		is isolation join key language last lateral left level like ilike limit lock loop materialized merge natural next no not
		nothing null nulls of offset on only open option or order outer over owner partition perform policy preceding primary privileges procedure
		query range raise read recursive references refresh rename replace restrict return returning returns revoke right rollback row rows
		schema security select sequence set similar some stable start strict table tablespace temp temporary then to transaction trigger
		truncate type union unique unlogged update using vacuum values view volatile when where while window with without work true false
		auto_increment autoincrement charset character`)
	rubyEnds = &blockEnds{always: wordSet("def do"), first: wordSet("if unless case while until begin for class module"),
		loops: wordSet("while until for"), resets: wordSet("def class module"), end: "end"}
	luaEnds    = &blockEnds{always: wordSet("function if do"), end: "end"}
	elixirEnds = &blockEnds{always: wordSet("do fn"), resets: wordSet("def defp defmodule defmacro"), end: "end"}
	juliaEnds  = &blockEnds{always: wordSet("do begin"), first: wordSet("function macro if for while let try struct module " +
		"baremodule quote mutable"), resets: wordSet("function module struct"), end: "end"}
	fishEnds = &blockEnds{first: wordSet("if for while switch function begin"), end: "end"}
	sqlEnds  = &blockEnds{always: wordSet("case begin"), end: "end"}
)

// statementsOf maps languages to their rules.
var statementsOf = func() map[string]*statements {
	out := map[string]*statements{
		"SQL":    {openers: sqlWords, continuations: sqlWords, ends: sqlEnds, semicolons: true, joins: true},
		"Python": {parsed: true, trailing: true, joins: true},
		"C#":     {openers: openWords, continuations: continuationWords, semicolons: true, mark: `$"`, attributes: true},
		"Ruby":   {openers: openWords, continuations: continuationWordsInLists, ends: rubyEnds, trailing: true, mark: "#{"},
		"Lua":    {openers: openWords, continuations: continuationWordsInLists, ends: luaEnds},
		"Elixir": {openers: openWords, continuations: continuationWordsInLists, ends: elixirEnds, mark: "#{"},
		"Julia":  {openers: openWords, continuations: continuationWordsInLists, ends: juliaEnds, trailing: true},
		"Fish":   {parsed: true, ends: fishEnds},
		"PHP":    {openers: openWords, continuations: continuationWords, semicolons: true, trailing: true, mark: "{$"},
		"Dart":   {openers: openWords, continuations: continuationWords, semicolons: true, trailing: true, joins: true, mark: "${"},
		"Swift":  {openers: openWords, continuations: continuationWordsInLists, trailing: true},
	}
	for names, s := range map[string]*statements{
		"Java Solidity":               {openers: openWords, continuations: continuationWords, semicolons: true},
		"C C++ Objective-C D":         {openers: openWords, continuations: continuationWords, semicolons: true, joins: true},
		"Rust Perl":                   {openers: openWords, continuations: continuationWords, semicolons: true, trailing: true, tail: true},
		"SCSS LessCss CSS":            {semicolons: true, trailing: true, tail: true, joins: true},
		"Kotlin Scala Terraform HCL":  {openers: openWords, continuations: continuationWordsInLists, trailing: true, mark: "${"},
		"Groovy":                      {openers: openWords, continuations: continuationWordsInLists, mark: "${"},
		"JavaScript TypeScript react": {parsed: true, trailing: true},
	} {
		for _, n := range strings.Fields(names) {
			out[n] = s
		}
	}
	out["Protocol Buffer"] = out["Java"]
	return out
}()

// lexeme is a token with its place.
type lexeme struct {
	text  string // for a string, its quotation mark
	line  int
	first bool // first in its line
	glued bool // follows the previous token without white space
	mark  bool // ends an annotation or attribute
	stray bool // a quotation mark that does not begin a string
	in    bracket
}

// bracket is the innermost open bracket of a token.
type bracket struct {
	sign  byte
	first bool // first in its line
	block bool // contains statements
	mark  bool // belongs to an annotation
}

// wordsOf reads the tokens of a file without comments and preprocessor lines.
func (s *statements) wordsOf(language string, content []byte) (out []lexeme) {
	syn, text := strictSyntax(language), withoutTexts(language, string(content))
	if s.ends != nil && s != statementsOf["SQL"] { // strings inside the expressions of strings cannot be told from their ends
		syn.strict.multi = ""
	}
	line, read, before, skipped, head, column := 1, 0, -1, 0, "", 0
	open := []bracket{{}}
	syn.scanTokens(text, func(k kind, at int, piece string) {
		line += strings.Count(text[read:at], "\n")
		here := line
		line += strings.Count(piece, "\n")
		glued := read == at
		read = at + len(piece)
		if k == kindComment || here == skipped {
			return
		}
		first := here != before
		column++
		if before = line; first {
			head, column = piece, 0
			if piece == "#" {
				skipped = here
				return
			}
			if s.ends != nil && s.ends.resets[piece] {
				open = open[:1]
			}
		}
		if k == kindLiteral {
			piece = piece[:1]
		}
		annotation := head == "@" && s.continuations != nil
		w := lexeme{text: piece, line: here, first: first, glued: glued, mark: annotation && column < 2, stray: k == kindCode &&
			(piece == `"` || piece == "'")}
		top := &open[len(open)-1]
		if k == kindCode && strings.Contains(")]}", piece) && len(open) > 1 {
			w.mark = top.mark || s.attributes && piece == "]" && top.first
			open = open[:len(open)-1]
		} else if k == kindCode && piece == ";" {
			top.block = true
		}
		if w.in = *top; language == "SQL" {
			w.text = strings.ToLower(piece)
		}
		out = append(out, w)
		if k == kindCode && strings.Contains("([{", piece) {
			b := bracket{sign: piece[0], first: first, block: headers[head], mark: annotation && column < 3}
			if n := len(out); n > 2 && piece != "{" && out[n-3].text == "%" { // a Ruby word list in brackets
				b.sign = '%'
			}
			open = append(open, b)
		}
	})
	return out
}

// keepsEndings reports whether the statements of new lines end as those of the replaced lines do.
func (p *proposal) keepsEndings(lines []string, after []byte) bool {
	s := statementsOf[p.language]
	if s == nil || len(after) > maxLayout {
		return true
	}
	if p.words == nil {
		p.words = s.wordsOf(p.language, p.content)
	}
	now := s.wordsOf(p.language, after)
	last := p.start + len(lines) - 1
	if e := s.ends; e != nil {
		closes, opens := e.balance(p.words, p.start, p.end)
		if c, o := e.balance(now, p.start, last); c != closes || o != opens {
			return false
		}
	}
	_, end, next := ending(now, last)
	wasInner, was, _ := ending(p.words, p.end)
	if s.parsed && len(lines) == 0 {
		return true
	}
	switch closer := next != "" && strings.Contains(")]}", next); {
	case end.text == "" || end.mark || end.text == "php":
	case was.text == ";" && wasInner == "}" && end.text == "}" && s.semicolons && !s.tail && len(lines) > 0:
		return false // the end of an expression that ends with a block
	case was.text == ";" && s.parsed && next != "" && !strings.Contains("([`+-/*.,<>=?&|", next): // a line may end it
	case was.text == ";" && !strings.Contains(";{},:", end.text) && !(end.text == ">" && p.language == "PHP") && next != "{" &&
		!(s.tail && next == "}"):
		return false
	case was.text == "," && end.text == "}" && p.language == "Rust" && strings.Contains(strings.Join(lines, "\n"), "=> {"): // an arm
	case was.text == "," && end.text != "," && !strings.Contains("([{", end.text) && !closer && (s.continuations != nil || operand(end.text)):
		return false
	case was.text == ";" && p.language == "Rust" && next == "}" && !strings.Contains(";}", end.text) && rustItems[lastStatement(lines)]:
		return false
	case end.text == "," && was.text != "," && (operand(was.text) || was.text == ";" || was.text == "}") && s.continuations != nil:
		if !closer || was.text == ";" || next == ")" && !s.trailing || p.language == "SQL" {
			return false
		}
	}
	if old, text := strings.Join(p.old, "\n"), strings.Join(lines, "\n"); s.mark != "" &&
		(strings.Contains(old, s.mark) || strings.Contains(text, s.mark)) &&
		strings.Count(old, "{")-strings.Count(old, "}") != strings.Count(text, "{")-strings.Count(text, "}") {
		return false // the end of an expression in a string
	}
	return s.countMissingSigns(now, p.start, last) <= s.countMissingSigns(p.words, p.start, p.end)
}

// rustItems begin statements that end with a semicolon even at the end of a block.
var rustItems = wordSet("let use const static type")

// lastStatement returns the first word of the last line that is not blank.
func lastStatement(lines []string) string {
	for _, l := range slices.Backward(lines) {
		if f := strings.Fields(l); len(f) > 0 {
			return f[0]
		}
	}
	return ""
}

// ending returns the last two tokens up to the end of a line, and the first token below it.
func ending(words []lexeme, line int) (before string, end lexeme, next string) {
	for _, w := range words {
		if w.line > line {
			return before, end, w.text
		}
		before, end = end.text, w
	}
	return before, end, ""
}

// operand reports whether a token can end an expression.
func operand(text string) bool {
	if text == "" {
		return false
	}
	return strings.Contains(")]\"'`", text) || partOfWord([]rune(text)[0])
}

// headers are words of lines after whose bracket a statement follows.
var headers = wordSet("if for foreach while else elseif elsif until unless switch using lock fixed synchronized with catch when " +
	"try do finally")

// countMissingSigns counts the lines, from first to the beginning of the code below last, that begin with an
// expression directly after another one, without a sign between them.
func (s *statements) countMissingSigns(words []lexeme, first, last int) (n int) {
	begins := 0 // the first token of the line before
	for i, w := range words {
		if w.stray && !s.parsed && s.ends != nil && w.line >= first && w.line <= last {
			n++
		}
		if i == 0 || !w.first {
			continue
		}
		prev, head := words[i-1], words[begins]
		if begins = i; w.line < first {
			continue
		}
		next := lexeme{}
		if i+1 < len(words) {
			next = words[i+1]
		}
		inList := w.in.sign == '(' || w.in.sign == '['
		starts := !s.parsed && operand(w.text) && !strings.Contains(")]", w.text) && (s.semicolons || inList)
		switch {
		case w.text == "@":
			starts = s.semicolons && s.continuations == nil
		case w.text == "}":
			starts = s.semicolons && !s.tail && w.in.block
		case s.parsed && !s.joins: // texts between tags are not expressions
		case inList && (w.text == "(" || w.text == "["), inList && w.text == "{" && prev.text == "}":
			starts = true
		case s.ends != nil && next.text == ":" && next.glued && (i+2 >= len(words) || words[i+2].text != ":"): // a key
			starts = true
		}
		isString := func(w lexeme) bool { return w.text == `"` || w.text == "'" }
		switch {
		case !starts, prev.mark,
			!operand(prev.text) && prev.text != "}",
			prev.text == "}" && w.text != "{",
			s.openers[prev.text] && !(s.ends == sqlEnds && itemWords[prev.text]),
			s.continuations[w.text] && next.text != ".",
			prev.text == ")" && (headers[head.text] || head.text == "}"),
			s.joins && isString(prev) && isString(w):
		default:
			n++
		}
		if w.line > last {
			break
		}
	}
	return n
}

// balance counts the blocks that lines end and open, without blocks that lie wholly inside them.
func (e *blockEnds) balance(words []lexeme, first, last int) (closes, opens int) {
	loop := 0 // the line of a loop whose "do" does not open another block
	for i, w := range words {
		if w.line < first || w.line > last || w.in.sign == '[' {
			continue
		}
		prev, next := lexeme{}, lexeme{}
		if i > 0 {
			prev = words[i-1]
		}
		if i+1 < len(words) {
			next = words[i+1]
		}
		begins := w.first || strings.Contains("=;(|{", prev.text) && prev.text != "" || prev.text == "then" || prev.text == "else" ||
			prev.text == "do"
		switch {
		case prev.text == "." || prev.text == ":" && w.glued || next.text == ":" && next.glued: // a name, a symbol, a key
		case w.text == e.end:
			switch next.text {
			case "while", "repeat", "for":
				if e == sqlEnds {
					continue
				}
			}
			if opens > 0 {
				opens--
			} else {
				closes++
			}
		case e == sqlEnds && (prev.text == e.end || w.text == "begin" && (next.text == ";" || next.text == "transaction" || next.text == "work")):
		case w.text == "do" && loop == w.line:
		case w.text == "def" && e == rubyEnds && (hasEndlessBody(words[i:]) || prev.text == "abstract"):
		case e == sqlEnds && (w.text == "loop" || w.text == "if" && begins && conditionHasThen(words[i:])):
			opens++
		case e.always[w.text], e.first[w.text] && begins:
			if opens++; e.loops[w.text] {
				loop = w.line
			}
		}
	}
	return closes, opens
}

// maxAhead is how many tokens of a statement are searched for each of its tokens.
const maxAhead = 500

// conditionHasThen reports whether an SQL condition begins a block. In dialects without "then" a condition does not
// have its own end.
func conditionHasThen(words []lexeme) bool {
	for _, w := range words[:min(len(words), maxAhead)] {
		if w.text == "then" || w.text == ";" {
			return w.text == "then"
		}
	}
	return false
}

// hasEndlessBody reports whether a Ruby method has its body behind an equals sign.
func hasEndlessBody(words []lexeme) bool {
	for i, w := range words[1:min(len(words), maxAhead)] {
		switch {
		case w.line != words[0].line:
			return false
		case w.in.sign == 0 && w.text == "=" && !w.glued, w.in == words[0].in && w.text == "=" && i > 1 && !w.glued:
			return true
		}
	}
	return false
}
