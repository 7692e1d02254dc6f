package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of what is compared of a file.
const (
	maxContracts = 2_000  // definitions of a file
	maxContract  = 10_000 // lines of a file that is not Go
	maxBody      = 400    // lines of a definition that is not Go
	maxBodies    = 20_000 // of all of them: those inside each other count several times
	maxHead      = 8      // lines of its first statement
)

// Contract is what a definition promises to those who use it, as far as its text
// says so. Two contracts that are equal may still promise different things.
type Contract struct {
	Symbol
	Kind      Kind
	Signature string   // parameters and results without white space; of Go their types alone
	Returns   []string // the kinds of what it returns or raises: nil, an error, a constant, any value; sorted, each once
	Guards    []string // the conditions under which it gives up, sorted; equal ones stand there several times
}

// Kind is what a definition defines.
type Kind string

// The kinds.
const (
	KindFunc  Kind = "func"
	KindType  Kind = "type"
	KindValue Kind = "value"
)

// Base is the name without that of the type or function around it.
func (s Symbol) Base() string { return s.Name[strings.LastIndexByte(s.Name, '.')+1:] }

// Owner is the name of the type or function around a symbol, "" for none.
func (s Symbol) Owner() string { return s.Name[:max(strings.LastIndexByte(s.Name, '.'), 0)] }

// Contracts returns the contracts of the definitions of a file in their order, 2,000
// at most; nil for a language whose form is not understood, and for a file beyond
// the bounds of reading. The language is a name of
// [github.com/assay-dev/assay/internal/diff.Language].
func Contracts(language string, content []byte) []Contract {
	if language == "Go" {
		return goContracts(content)
	}
	lines := splitLines(content)
	if !blockLanguage(language) || len(lines) > maxContract {
		return nil
	}
	var out []Contract
	b, room := newBlocks(lines), maxBodies
	for i := range lines {
		if b.name(lines[i]) == "" || len(out) == maxContracts {
			continue
		}
		if s, ok := b.symbol(i + 1); ok && s.Start == i+1 {
			out = append(out, blockContract(b, s, &room))
		}
	}
	return out
}

// typeWord finds the first lines of types among those of other definitions.
var typeWord = regexp.MustCompile(`\b(?:class|interface|trait|struct|enum|object|module|namespace|protocol|extension|record|impl|contract|defmodule)\s`)

// giveUp finds lines that leave a definition; the rest is what it leaves with.
var giveUp = regexp.MustCompile(`(?:^|[{;:)]\s*|\bthen\s+)(return|throw|raise|panic!?|abort|continue|break)\b[ \t(]*([^;}]*)`)

// condition finds the beginning of a line that decides.
var condition = regexp.MustCompile(`^(?:\}?\s*else\s+)?(?:if|elif|elsif|unless|guard)\b(.*)$`)

// blockContract reads a definition from its lines, as long as there is room for them.
func blockContract(b *blocks, s Symbol, room *int) Contract {
	c := Contract{Symbol: s, Kind: KindFunc}
	first := b.lines[s.Start-1]
	if typeWord.MatchString(strings.SplitN(first, "(", 2)[0]) {
		c.Kind = KindType
		return c
	}
	rest := behind(first, s.Base())
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
		if len(l) > maxDefinition || !deciding(l) {
			continue
		}
		if m := condition.FindStringSubmatch(l); m != nil && leaves(body[i:]) {
			text := m[1]
			if at := giveUp.FindStringIndex(text); at != nil {
				text = text[:at[0]]
			}
			c.Guards = append(c.Guards, squeeze(strings.Trim(text, " \t{:")))
		}
		if m := giveUp.FindStringSubmatch(l); m != nil && m[1] != "continue" && m[1] != "break" {
			c.Returns = append(c.Returns, m[1]+" "+shapeOf(m[2]))
		}
	}
	slices.Sort(c.Guards)
	slices.Sort(c.Returns)
	c.Returns = slices.Compact(c.Returns)
	return c
}

// behind is what stands in a line behind a name.
func behind(line, name string) string {
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

// headEnds reports whether a definition's first statement is whole.
func headEnds(text string) bool {
	t := strings.TrimRight(text, " \t")
	return strings.HasSuffix(t, "{") || strings.HasSuffix(t, ":") || strings.Contains(t, "=>") || strings.HasSuffix(t, ";") ||
		strings.Count(t, "(") > 0 && strings.Count(t, "(") == strings.Count(t, ")")
}

// leaves reports whether a condition's block begins with what leaves the definition.
func leaves(lines []string) bool {
	for i, l := range lines[:min(len(lines), 3)] {
		if len(l) > maxDefinition {
			return false
		}
		if i > 0 && condition.MatchString(strings.TrimSpace(l)) {
			return false
		}
		if giveUp.MatchString(strings.TrimSpace(l)) {
			return true
		}
	}
	return false
}

// constantText finds what is the same wherever it stands.
var constantText = regexp.MustCompile(`^(?:nil|null|None|undefined|true|false|True|False|-?\d[\w.]*|""|''|\[\]|\{\}|NULL|nullptr)$`)

// raised finds the name of what is raised.
var raised = regexp.MustCompile(`^(?:new\s+)?([A-Z][\w.:]*)`)

// deciding reports whether a line may be a condition or leave a definition: most are
// neither, and this is cheap.
func deciding(line string) bool {
	for _, w := range [...]string{"if", "unless", "guard", "return", "throw", "raise", "panic", "abort"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// shapeOf is the kind of an expression that is returned or raised.
func shapeOf(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), " ;)}")
	switch m := raised.FindStringSubmatch(text); {
	case text == "":
		return ""
	case constantText.MatchString(text):
		return text
	case m != nil:
		return m[1]
	}
	return "value"
}

// squeeze takes white space out.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
