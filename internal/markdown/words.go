package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
)

// kind is how a part of a line is written.
type kind int

const (
	plain   kind = iota // unchanged
	gap                 // one space
	written             // a code span of the author
	forced              // a code span that we make from a word
)

type token struct {
	kind kind
	text string
}

func (t token) code() bool { return t.kind == written || t.kind == forced }

// line collects the tokens of a line. Two code tokens are never adjacent.
type line struct {
	tokens      []token
	linkRemoved string
}

// inline converts one line: words with single spaces between them.
func (r Reader) inline(s string) string {
	l := line{linkRemoved: r.linkRemoved()}
	at := 0
	ends := endsOf(s)
	for at < len(s) {
		tick := strings.IndexByte(s[at:], '`')
		if tick < 0 {
			l.prose(s[at:])
			break
		}
		l.prose(s[at : at+tick])
		at += tick
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		body := at + run
		if end := ends.after(body, run); end < 0 { // not a span: the backticks are characters
			l.add(token{forced, s[at:body]})
			at = body
		} else {
			l.span(strings.TrimSpace(s[body:end]))
			at = end + run
		}
	}
	return strings.TrimSpace(write(l.tokens))
}

// span adds a code span of the author. An empty one becomes a space, to keep its neighbours apart.
func (l *line) span(s string) {
	if s == "" {
		l.add(token{gap, " "})
	}
	l.add(token{written, s})
}

// ends holds the positions of the runs of backticks in a line, by length and in order. Without it,
// searching the rest of the line for each span took seconds for some thousand spans.
type ends map[int][]int

func endsOf(s string) ends {
	e := ends{}
	for _, at := range runs.FindAllStringIndex(s, -1) {
		e[at[1]-at[0]] = append(e[at[1]-at[0]], at[0])
	}
	return e
}

// after returns the position of the next run of exactly n backticks, or -1. It forgets earlier positions.
func (e ends) after(at, n int) int {
	for len(e[n]) > 0 && e[n][0] < at {
		e[n] = e[n][1:]
	}
	if len(e[n]) == 0 {
		return -1
	}
	return e[n][0]
}

// add appends a token. It merges adjacent code tokens, and words made into code with a space between them.
func (l *line) add(t token) {
	if t.text == "" {
		return
	}
	n := len(l.tokens)
	switch {
	case t.kind == gap && (n == 0 || l.tokens[n-1].kind == gap):
	case n > 0 && t.code() && l.tokens[n-1].code():
		l.tokens[n-1].text += t.text
		if t.kind == written {
			l.tokens[n-1].kind = written
		}
	case n > 1 && t.kind == forced && l.tokens[n-1].kind == gap && l.tokens[n-2].kind == forced:
		l.tokens = l.tokens[:n-1]
		l.tokens[n-2].text += " " + t.text
	default:
		l.tokens = append(l.tokens, t)
	}
}

// write renders tokens as Markdown. All spans of a line have the same number of backticks, more than any of
// them contains.
func write(tokens []token) string {
	most := 0
	for i := range tokens {
		if tokens[i].code() {
			tokens[i].text = shortenTicks(tokens[i].text)
			most = max(most, longestRun(tokens[i].text))
		}
	}
	ticks := strings.Repeat("`", most+1)
	var j joiner
	for _, t := range tokens {
		s := t.text
		switch {
		case s == "":
		case !t.code():
			j.add(s)
		case strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`"):
			j.add(ticks + " " + s + " " + ticks)
		default:
			j.add(ticks + s + ticks)
		}
	}
	return j.b.String()
}

// prose adds text outside code spans.
func (l *line) prose(s string) {
	s = link.ReplaceAllString(s, "$1")
	for i, w := range strings.Split(s, " ") {
		if i > 0 {
			l.add(token{gap, " "})
		}
		if w != "" {
			l.word(w)
		}
	}
}

// Forms of words in prose.
var (
	link = regexp.MustCompile(`!?\[([^\[\]\n]{0,300})\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)`)
	// bare matches the beginning of text that hosts turn into a link, anywhere in a word.
	bare = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://|www\.|(?:mailto|javascript|vbscript|xmpp):[^\s:]|data:[a-z]+/`)
	// dotted matches the name of a host or a file.
	dotted = regexp.MustCompile(`\.\pL{2}`)
	// ticket matches a reference to a tracker's issue: GH-1, ABC-12.
	ticket = regexp.MustCompile(`[A-Z][A-Z0-9]*-\d|(?i:g[hl])-\d`)
	// number matches the beginning of a numbered list item.
	number = regexp.MustCompile(`^\d{1,9}[.)]$`)
)

// HasAddress reports whether a text contains the beginning of an address that hosts turn into a link.
func HasAddress(text string) bool { return bare.MatchString(text) }

// word adds one word without spaces.
func (l *line) word(w string) {
	lead, core, tail := trim(w)
	first, behindCode := len(l.tokens) == 0, len(l.tokens) > 0 && l.tokens[len(l.tokens)-1].code()
	switch {
	case strings.HasSuffix(core, "%") && strings.HasPrefix(tail, "\""): // GitLab treats %"name" as a milestone
		l.add(token{forced, w})
	case HasAddress(w):
		l.add(token{plain, lead + l.linkRemoved + tail})
	case first && beginsBlock(w):
		l.add(token{forced, w})
	case w == "&", w == "/" && !first, w == "--" && !first, core == "",
		plainWord(core) && (behindCode && lead == "" || !opens(core)):
		l.add(token{plain, w})
	default:
		if strings.HasPrefix(core, ":") && strings.HasPrefix(tail, ":") { // :name:
			core, tail = core+":", tail[1:]
		}
		l.add(token{plain, lead})
		l.add(token{forced, core})
		l.add(token{plain, tail})
	}
}

// beginsBlock reports whether a word at the beginning of a line would start another block: a list, a table
// row, the underline of a heading, the explanation of a term.
func beginsBlock(w string) bool {
	return number.MatchString(w) || strings.Trim(w, "-:") == "" || w[0] == ':'
}

const (
	leads = "(\"'“‘«„"
	tails = ".,;:!?)\"'”’»…"
)

// trim splits the punctuation of a sentence from a word. It keeps a closing parenthesis that the word
// itself opens, and an opening one that it closes.
func trim(w string) (lead, core, tail string) {
	core = strings.TrimLeft(w, leads)
	lead = w[:len(w)-len(core)]
	for core != "" {
		r, size := utf8.DecodeLastRuneInString(core)
		if !strings.ContainsRune(tails, r) || r == ')' && strings.Count(core, "(") >= strings.Count(core, ")") {
			break
		}
		core, tail = core[:len(core)-size], core[len(core)-size:]+tail
	}
	for strings.HasSuffix(lead, "(") && strings.Count(core, ")") > strings.Count(core, "(") {
		lead, core = lead[:len(lead)-1], "("+core
	}
	return lead, core, tail
}

// opens reports whether a word begins like a path, a command or an option.
func opens(w string) bool { return len(w) > 1 && (w[0] == '/' || w[0] == '-') }

// plainWord reports whether a word has no special meaning for Markdown or a host.
func plainWord(w string) bool {
	for i, r := range w {
		before, _ := utf8.DecodeLastRuneInString(w[:i])
		after, _ := utf8.DecodeRuneInString(w[i+utf8.RuneLen(r):])
		switch {
		case r > unicode.MaxASCII, letterOrDigit(r), strings.ContainsRune("'\"(),;-.", r):
		case r == '/' && after != '/':
		case r == '%' && digit(before) && i == len(w)-1:
		default:
			return false
		}
	}
	return !dotted.MatchString(w) && !ticket.MatchString(w) && !commit(w)
}

func digit(r rune) bool { return '0' <= r && r <= '9' }

func letterOrDigit(r rune) bool { return digit(r) || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// commit reports whether a part of a word looks like a commit id. Hosts link ids from seven hexadecimal
// digits on.
func commit(w string) bool {
	for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return !letterOrDigit(r) }) {
		if len(part) >= 7 && strings.Trim(strings.ToLower(part), "0123456789abcdef") == "" {
			return true
		}
	}
	return false
}
