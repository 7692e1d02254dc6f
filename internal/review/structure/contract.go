package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of the comparison of a file's definitions.
const (
	MaxContracts = 2_000  // definitions of a file
	maxContract  = 10_000 // lines of a file that is not Go
	maxBody      = 400    // lines of a definition that is not Go
	maxBodies    = 20_000 // lines of all definitions; nested ones count several times
	maxHead      = 8      // lines of a definition's first statement
)

// Contract is the promise of a definition to its users, as far as its text shows it. Two equal contracts
// may still promise different things.
type Contract struct {
	Symbol
	Kind      Kind
	Signature string   // parameters and results without white space; for Go only their types
	Returns   []string // kinds of returned or raised values: nil, an error, a constant, any value; sorted, without repetitions
	Guards    []string // conditions for an early return, sorted, with repetitions
}

// Kind is the kind of a definition.
type Kind string

// The kinds.
const (
	KindFunc  Kind = "func"
	KindType  Kind = "type"
	KindValue Kind = "value"
)

// Base returns the name without that of the type or function around it.
func (s Symbol) Base() string { return s.Name[strings.LastIndexByte(s.Name, '.')+1:] }

// Owner returns the name of the type or function around a symbol, or "".
func (s Symbol) Owner() string { return s.Name[:max(strings.LastIndexByte(s.Name, '.'), 0)] }

// Contracts returns the contracts of the definitions of a file in their order, at most 2,000. It returns
// nil for a language whose form is not understood, and for a file beyond the bounds of reading. The
// language is a name of [github.com/assay-dev/assay/internal/diff.Language].
func Contracts(language string, content []byte) []Contract {
	if language == "Go" {
		return goContracts(content)
	}
	lines := splitLines(content)
	if !blockLanguage(language) || len(lines) > maxContract {
		return nil
	}
	var out []Contract
	b, room := newBlocks(language, lines), maxBodies
	for i := range lines {
		if b.name(i) == "" || len(out) == MaxContracts {
			continue
		}
		if s, ok := b.symbol(i + 1); ok && s.Start == i+1 {
			out = append(out, blockContract(b, s, &room))
		}
	}
	return out
}

// typeLine matches the first lines of types.
var typeLine = regexp.MustCompile(`\b(?:class|interface|trait|struct|enum|object|module|namespace|protocol|extension|record|impl|` +
	`contract|defmodule)\s`)

// leaving matches lines that leave a definition, with the value that they return or raise.
var leaving = regexp.MustCompile(`(?:^|[{;:)]\s*|\bthen\s+)(return|throw|raise|panic!?|abort|continue|break)\b[ \t(]*([^;}]*)`)

// condition matches the beginning of a condition.
var condition = regexp.MustCompile(`^(?:\}?\s*else\s+)?(?:if|elif|elsif|unless|guard)\b(.*)$`)

// blockContract reads a definition from its lines, within the room that is left for all definitions.
func blockContract(b *blocks, s Symbol, room *int) Contract {
	c := Contract{Symbol: s, Kind: KindFunc}
	first := b.lines[s.Start-1]
	if typeLine.MatchString(strings.SplitN(first, "(", 2)[0]) {
		c.Kind = KindType
		return c
	}
	rest := textAfter(first, s.Base())
	at := s.Start
	for ; at < min(s.Start+maxHead, s.End) && !headEnds(rest); at++ {
		rest += b.lines[at]
	}
	c.Signature = squeeze(strings.TrimRight(rest, " \t{:"))
	body := b.lines[at-1 : max(min(s.End, s.Start+maxBody, at-1+*room), at-1)]
	*room -= len(body)
	for i, l := range body {
		if i == 0 && at == s.Start { // a body in the first line
			_, l, _ = strings.Cut(l, ")")
		}
		l = strings.TrimSpace(l)
		if len(l) > maxDefinition || !mayDecide(l) {
			continue
		}
		if m := condition.FindStringSubmatch(l); m != nil && beginsByLeaving(body[i:]) {
			text := m[1]
			if at := leaving.FindStringIndex(text); at != nil {
				text = text[:at[0]]
			}
			c.Guards = append(c.Guards, squeeze(strings.Trim(text, " \t{:")))
		}
		if m := leaving.FindStringSubmatch(l); m != nil && m[1] != "continue" && m[1] != "break" {
			c.Returns = append(c.Returns, m[1]+" "+shapeOf(m[2]))
		}
	}
	slices.Sort(c.Guards)
	slices.Sort(c.Returns)
	c.Returns = slices.Compact(c.Returns)
	return c
}

// textAfter returns the part of a line after a name.
func textAfter(line, name string) string {
	for from := 0; ; {
		at := strings.Index(line[from:], name)
		if at < 0 {
			return line
		}
		at += from
		from = at + len(name)
		if at == 0 || !wordByte(line[at-1]) {
			return line[from:]
		}
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// headEnds reports whether a definition's first statement is complete.
func headEnds(text string) bool {
	t := strings.TrimRight(text, " \t")
	return strings.HasSuffix(t, "{") || strings.HasSuffix(t, ":") || strings.Contains(t, "=>") || strings.HasSuffix(t, ";") ||
		strings.Count(t, "(") > 0 && strings.Count(t, "(") == strings.Count(t, ")")
}

// beginsByLeaving reports whether a condition's block begins by leaving the definition.
func beginsByLeaving(lines []string) bool {
	for i, l := range lines[:min(len(lines), 3)] {
		if len(l) > maxDefinition {
			return false
		}
		if i > 0 && condition.MatchString(strings.TrimSpace(l)) {
			return false
		}
		if leaving.MatchString(strings.TrimSpace(l)) {
			return true
		}
	}
	return false
}

// constantText matches constants.
var constantText = regexp.MustCompile(`^(?:nil|null|None|undefined|true|false|True|False|-?\d[\w.]*|""|''|\[\]|\{\}|NULL|nullptr)$`)

// raisedName matches the name of a raised error.
var raisedName = regexp.MustCompile(`^(?:new\s+)?([A-Z][\w.:]*)`)

// mayDecide reports whether a line may be a condition or leave a definition. It is a cheap test that
// excludes most lines.
func mayDecide(line string) bool {
	for _, w := range [...]string{"if", "unless", "guard", "return", "throw", "raise", "panic", "abort"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// shapeOf returns the kind of a returned or raised expression.
func shapeOf(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), " ;)}")
	switch m := raisedName.FindStringSubmatch(text); {
	case text == "":
		return ""
	case constantText.MatchString(text):
		return text
	case m != nil:
		return m[1]
	}
	return "value"
}

// squeeze removes white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
