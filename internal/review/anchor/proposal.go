package anchor

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Reasons against a suggestion that fits.
const (
	whyDoesNotParse = "the result does not parse"
	whyBrackets     = "its brackets, strings or comments do not end where those of the replaced lines do"
	whySymbol       = "a symbol that the file defines would be lost"
	whyTooLong      = "the file is too long for its structure to be checked"
	whyStyle        = "it is indented with other characters than the file"
	whyUnfinished   = "its statements are not whole"
	whyLineGoesOn   = "its last line goes on where the replaced one ended, or ends where that went on"
)

// proposal is a change to lines of a file that may become an offered suggestion.
type proposal struct {
	content       []byte
	old           []string
	claimed       string // the replaced lines as the model wrote them, "" if it did not
	start, end    int
	language      string
	path          string
	style         style
	layout        *layout
	valid         func([]byte) (valid, known bool) // the language's parser, nil if it lacks one
	parseResults  map[string]string                // the parser's answers by file content
	template      bool                             // the file is a Go template
	readingBefore *layoutText
	words         []lexeme // words of the file for [statements]
}

func newProposal(content []byte, old []string, s *domain.Suggestion, f *diff.File) *proposal {
	p := &proposal{content: content, old: old, start: s.Start, end: s.End, path: s.Path, style: styleOf(content), layout: layoutOf(f),
		parseResults: map[string]string{}}
	if f != nil {
		p.language = f.Language
	}
	if p.valid = withoutPanic(parserOf(p.language, p.path)); p.layout == yamlLayout {
		p.valid = check.ValidYAML
	}
	if p.valid != nil {
		if valid, known := p.valid(content); !valid || !known {
			p.valid = nil
		}
	}
	if p.valid == nil && p.language == "JSON" {
		if valid, _ := validWithComments(content); valid {
			p.valid = validWithComments
		}
	}
	p.template = !(p.valid != nil && isProgram[p.language]) && isTemplate(content)
	return p
}

// parses asks the language's parser about a changed file. The answer is ParsesUnknown if the parser could
// not read the file before the change.
func (p *proposal) parses(after []byte) string {
	if p.valid == nil {
		return ParsesUnknown
	}
	if said := p.parseResults[string(after)]; said != "" {
		return said
	}
	said := DoesNotParse
	switch valid, known := p.valid(after); {
	case !known:
		said = ParsesUnknown
	case valid:
		said = Parses
	}
	p.parseResults[string(after)] = said
	return said
}

// applied returns the file with lines in place of the replaced ones.
func (p *proposal) applied(lines []string) []byte {
	return Apply(p.content, domain.Suggestion{Start: p.start, End: p.end, New: strings.Join(lines, "\n")})
}

// structureFault applies lines and returns why the file would not keep its structure, "" if it does.
func (p *proposal) structureFault(lines []string) string {
	after := p.applied(lines)
	parses := p.parses(after)
	switch {
	case parses == DoesNotParse, p.template && !p.parsesAsTemplate(after):
		return whyDoesNotParse
	case parses == ParsesUnknown, p.language == "CSS": // the CSS parser accepts any bracket as a value
		if syn := p.brackets(); syn != nil && !p.keepsReading(syn, after, len(lines)) {
			return whyBrackets
		}
	}
	if p.losesSymbol(lines, after) {
		return whySymbol
	}
	if !p.keepsEndings(lines, after) {
		return whyUnfinished
	}
	if parses == ParsesUnknown && (!p.isComplete(lines) ||
		unparsedMarkup[p.language] && tagsOf(p.language, lines) != tagsOf(p.language, p.old)) {
		return whyUnfinished
	}
	if n := firstFilled(p.old); n >= 0 && len(lines) > 0 && syntaxOf(p.language) != nil && p.language != "TeX" &&
		strings.HasSuffix(p.old[len(p.old)-1], `\`) != strings.HasSuffix(lines[len(lines)-1], `\`) {
		return whyLineGoesOn
	}
	for _, l := range lines {
		if in := indentOf(l); p.style.sign != 0 && strings.TrimSpace(l) != "" && in != "" && in[0] != p.style.sign && !p.plausible(in) {
			return whyStyle
		}
	}
	if p.layout == nil {
		if !p.isNeat(lines) {
			return whyIndentation
		}
		return ""
	}
	return p.layoutFault(lines, after, parses)
}

// parsesAsTemplate reports whether a changed Go template still parses as one, or cannot be judged.
func (p *proposal) parsesAsTemplate(after []byte) bool {
	if len(after) > maxTemplate {
		return false
	}
	valid, known := validTemplate(after)
	return valid || !known
}

// layoutFault checks the structure of a language whose white space has a meaning. If a parser has read all
// blocks, the code below must keep its place in them.
func (p *proposal) layoutFault(lines []string, after []byte, parses string) string {
	if len(p.content) > maxLayout || len(after) > maxLayout {
		return whyTooLong
	}
	least := -1
	for _, o := range p.old {
		if c := columnOf(indentOf(o)); strings.TrimSpace(o) != "" && (least < 0 || c < least) {
			least = c
		}
	}
	for _, l := range lines {
		if strings.TrimSpace(l) != "" && columnOf(indentOf(l)) < least {
			return whyStructure
		}
	}
	if p.readingBefore == nil {
		p.readingBefore = p.layout.read(p.content)
	}
	now := p.layout.read(after) // blank lines at its end are not counted
	check := p.layout.check
	if parses == Parses && p.layout == pythonLayout {
		check = checkColumns
	}
	if !check(p.layout, now, p.readingBefore, p.start, min(p.start+len(lines), len(now.lines))-1, min(p.end, len(p.readingBefore.lines)-1)) {
		return whyStructure
	}
	return ""
}

// brackets returns the syntax for brackets, strings and comments, nil if they need not match in the
// language.
func (p *proposal) brackets() *syntax {
	switch {
	case p.layout == yamlLayout || p.layout == makeLayout || p.layout == textLayout || isMarkup[p.language] || syntaxOf(p.language) == nil:
		return nil
	case p.layout != nil && p.layout.syntax != nil:
		return p.layout.syntax
	}
	return strictSyntax(p.language)
}

// rangeEffect describes how a range of lines affects the code below it.
type rangeEffect struct {
	closes, opens string // brackets that the range leaves without a partner
	below         uint64 // hash of the words below the range, with their places
	clean         bool   // all brackets of the file match
	// faults counts strings of the range, and expressions in them, that do not end, and an open string or
	// comment at the end of the file.
	faults int
}

// keepsReading reports whether everything below the replaced lines reads as before: the new lines leave the same
// brackets open, and end their strings and comments. A file whose brackets do not match may also get the
// missing ones.
func (p *proposal) keepsReading(syn *syntax, after []byte, n int) bool {
	seed := maphash.MakeSeed()
	was, now := effectOf(syn, p.content, p.start, p.end, seed), effectOf(syn, after, p.start, p.start+n-1, seed)
	if now.faults > was.faults {
		return false
	}
	if was.below == now.below && was.closes == now.closes && was.opens == now.opens {
		return true
	}
	return !was.clean && now.clean
}

var partner = map[string]byte{")": '(', "]": '[', "}": '{'}

func effectOf(syn *syntax, content []byte, first, last int, seed maphash.Seed) rangeEffect {
	text := string(content)
	from, to := offsetOf(text, first), offsetOf(text, last+1)
	var out rangeEffect
	var all, open []byte
	matches := true
	var h maphash.Hash
	h.SetSeed(seed)
	before := ""
	syn.scanTokens(text, func(k kind, at int, piece string) {
		if in := at >= from && at < to; in && syn.isBroken(k, piece, before) ||
			k != kindCode && at+len(piece) == len(text) && !syn.isComplete(k, piece) {
			out.faults++
		}
		before = piece
		if at+len(piece) > to {
			_, _ = h.WriteString(string(rune('0' + k)))
			_, _ = h.WriteString(text[max(at, to) : at+len(piece)])
			_ = h.WriteByte(0)
		}
		if k != kindCode || len(piece) != 1 || !strings.Contains("()[]{}", piece) {
			return
		}
		closes := partner[piece]
		if closes == 0 {
			all = append(all, piece[0])
		} else if matches = matches && len(all) > 0 && all[len(all)-1] == closes; matches {
			all = all[:len(all)-1]
		}
		switch {
		case at < from || at >= to:
		case closes == 0:
			open = append(open, piece[0])
		case len(open) > 0 && open[len(open)-1] == closes:
			open = open[:len(open)-1]
		default:
			out.closes += string(open) + piece
			open = nil
		}
	})
	out.opens, out.below, out.clean = string(open), h.Sum64(), matches && len(all) == 0
	return out
}

// isBroken reports whether a piece is a quotation mark that does not begin a string, or a string with an
// expression that does not end.
func (syn *syntax) isBroken(k kind, piece, before string) bool {
	switch {
	case k == kindCode:
		return len(piece) == 1 && strings.Contains(syn.quotes, piece)
	case k != kindLiteral:
		return false
	case piece[0] == '`':
		return !expressionsEnd(piece, "${", false)
	}
	prefix := strings.ToLower(before)
	return syn == pythonLayout.syntax && (prefix == "f" || prefix == "rf" || prefix == "fr") && !expressionsEnd(piece, "{", true)
}

// isComplete reports whether a string or comment at the end of a text is complete.
func (syn *syntax) isComplete(k kind, piece string) bool {
	if k == kindComment {
		for _, b := range syn.block {
			if strings.HasPrefix(piece, b[0]) {
				return len(piece) >= len(b[0])+len(b[1]) && strings.HasSuffix(piece, b[1])
			}
		}
		return true
	}
	mark := piece[:1]
	if strings.HasPrefix(piece, mark+mark+mark) {
		mark += mark + mark
	}
	return len(piece) >= 2*len(mark) && strings.HasSuffix(piece, mark)
}

// offsetOf returns the byte at which a line begins.
func offsetOf(text string, line int) int {
	at := 0
	for range line - 1 {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
	}
	return at
}

// losesSymbol reports whether a symbol that the file defines is no longer defined.
func (p *proposal) losesSymbol(lines []string, after []byte) bool {
	was, now := structure.Symbols(p.language, p.content, p.start, p.end), structure.Symbols(p.language, after, p.start, p.start+len(lines)-1)
	return slices.ContainsFunc(was, func(name string) bool { return !slices.Contains(now, name) })
}
