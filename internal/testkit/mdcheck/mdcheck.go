// Package mdcheck checks Markdown before its publication like a code host: it parses the text and searches it,
// outside code, for everything that a host turns into a link, a notification or a command.
//
// It is for tests only. It shares nothing with the code that makes the Markdown, so it cannot repeat that
// code's mistakes.
package mdcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Allowed lists what a text may have beside paragraphs, flat lists and code.
type Allowed struct {
	Links []string // addresses of links; a prefix if it ends with *
	// Frame allows the elements of our own frame around a finding: bold, strike-through, folds, small print,
	// marks, rules.
	Frame bool
	// Tables allows tables. Their cells are checked like other text.
	Tables bool
}

func (a Allowed) link(url string) bool {
	return slices.ContainsFunc(a.Links, func(l string) bool {
		begin, open := strings.CutSuffix(l, "*")
		return url == l || open && strings.HasPrefix(url, begin)
	})
}

var frame = regexp.MustCompile(`^(?:<details><summary>[A-Za-z0-9 ]+</summary>|</details>|</?sub>|<!-- ` +
	`assay:[a-z]+=[A-Za-z0-9_.:-]+(?: [a-z]+=[A-Za-z0-9_.:-]+)* -->)$`)

// mark matches the label of a mark that is written as the definition of a link.
var mark = regexp.MustCompile(`^assay:[a-z]+=[A-Za-z0-9_.:-]+(?: [a-z]+=[A-Za-z0-9_.:-]+)*$`)

// page collects the results of a parser for one text.
type page struct {
	Allowed
	words    strings.Builder // outside code, with a zero byte for each span
	problems []string
}

func (p *page) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

func (p *page) framed(what string) {
	if !p.Frame {
		p.problem("%s", what)
	}
}

// table records a table or a part of one. The words of two cells are kept apart.
func (p *page) table(what string) {
	p.words.WriteByte('\n')
	if !p.Tables {
		p.problem("%s", what)
	}
}

func (p *page) address(what, url string) {
	if !p.link(url) {
		p.problem("%s to %s", what, url)
	}
}

func (p *page) html(s string) {
	for l := range strings.SplitSeq(strings.TrimSpace(s), "\n") {
		if !p.Frame || !frame.MatchString(l) {
			p.problem("HTML %q", l)
		}
	}
}

// end checks the collected words.
func (p *page) end() []string {
	words := p.words.String()
	for _, t := range Triggers {
		if t.Raw {
			continue
		}
		if m := t.in(words); m != "" {
			p.problem("%s: %s %q", t.Host, t.What, m)
		}
	}
	return p.problems
}

// in returns the first match in a text, "" without a match.
func (t Trigger) in(words string) string {
	if t.Needs != "" && !strings.ContainsAny(words, t.Needs) {
		return ""
	}
	return t.Form.FindString(words)
}

// Raw checks the unparsed text, as programs read it that do not parse Markdown.
func Raw(md string) (problems []string) {
	lines := strings.Split(md, "\n")
	for i, l := range lines {
		for _, tr := range Triggers {
			if tr.Raw && l != "" && l[0] == '/' && tr.Form.MatchString(l) { // all their forms begin like this
				problems = append(problems, fmt.Sprintf("%s: %s %q", tr.Host, tr.What, l))
			}
		}
		if begin := strings.TrimSpace(l); (strings.HasPrefix(begin, "<!-- assay:") || strings.HasPrefix(begin, "[assay:")) && i < len(lines)-1 {
			problems = append(problems, fmt.Sprintf("a mark before the last line: %q", l))
		}
	}
	return problems
}
