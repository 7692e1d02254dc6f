package tracker

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// step is the part of a scenario that a line belongs to.
type step int

// The parts of a scenario.
const (
	stepNone step = iota
	stepGiven
	stepWhen
	stepThen
	stepAnd
)

// The words that begin steps, in the languages of reviews (cucumber.io/docs/gherkin/languages).
var (
	scenarioName = regexp.MustCompile(`(?i)^(?:scenario(?: outline)?|example|szenario|beispiel|scénario|exemple|escenario|` +
		`ejemplo|cenário|exemplo|シナリオ|场景)\s*\d*\s*[:：]`)
	steps = []struct {
		kind step
		word *regexp.Regexp
	}{
		{stepGiven, regexp.MustCompile(`(?i)^(?:(?:given|angenommen|gegeben(?: sei| seien)?|étant donnée?s?|soit|` +
			`dad[oa]s?)(?:[\s,:]|$)|前提|假如|假设)`)},
		{stepWhen, regexp.MustCompile(`(?i)^(?:(?:when|wenn|quand|lorsque|cuando|quando)(?:[\s,:]|$)|lorsqu['’]|もし|当)`)},
		{stepThen, regexp.MustCompile(`(?i)^(?:(?:then|dann|alors|entonces|então)(?:[\s,:]|$)|ならば|那么)`)},
		{stepAnd, regexp.MustCompile(`(?i)^(?:(?:and|but|und|aber|et|mais|y|pero|e|mas)(?:[\s,:]|$)|かつ|しかし|而且|并且|但是)`)},
	}
	thenInside = regexp.MustCompile(`(?i)[\s,;](?:then|dann|alors|entonces|então)[\s,]|ならば|那么`)
)

// stepOf returns the part of a scenario that a text begins.
func stepOf(text string) step {
	if scenarioName.MatchString(text) {
		return stepGiven
	}
	for _, s := range steps {
		if s.word.MatchString(text) {
			return s.kind
		}
	}
	return stepNone
}

// scenario is a scenario under construction.
type scenario struct {
	entry
	parts       []string
	first, last step // of the main parts
	then        bool // it has a Then
	named       bool
}

// scenarios joins the steps among entries into scenarios. A single step stays unchanged.
func scenarios(in []entry) (out []entry) {
	var s *scenario
	flush := func() {
		if s != nil && len(s.parts) > 0 {
			e := s.entry
			if e.text = strings.Join(s.parts, " "); len(s.parts) > 1 || s.named {
				e.form = FormScenario
			}
			out = append(out, withHeading(e))
		}
		s = nil
	}
	for _, e := range in {
		if s != nil && e.group != s.group {
			flush()
		}
		kind := stepOf(e.text)
		switch {
		case scenarioName.MatchString(e.text):
			flush()
			s = &scenario{entry: e, parts: []string{strings.TrimRight(e.text, ".:") + "."}, named: true}
			if !hasLetters(e.text[len(scenarioName.FindString(e.text)):]) {
				s.parts = nil
			}
		case s != nil && (e.form == FormRow || s.continues(kind)):
			s.add(e.text, kind)
		case kind == stepGiven || kind == stepWhen:
			flush()
			s = &scenario{entry: e}
			if s.add(e.text, kind); thenInside.MatchString(e.text) {
				s.named = true // it is complete
				flush()
			}
		default:
			flush()
			out = append(out, withHeading(e))
		}
	}
	flush()
	return out
}

// withHeading prefixes an entry with the heading above it.
func withHeading(e entry) entry {
	e.text = join(e.group, e.text)
	return e
}

func (s *scenario) add(text string, kind step) {
	s.parts = append(s.parts, text)
	if kind == stepNone || kind == stepAnd {
		return
	}
	if s.first == stepNone {
		s.first = kind
	}
	s.last = kind
	s.then = s.then || kind == stepThen
}

// continues reports whether a step continues the scenario.
func (s *scenario) continues(kind step) bool {
	switch kind {
	case stepGiven:
		return s.last == stepNone
	case stepWhen:
		return s.last == stepNone || s.last == stepGiven || s.then && s.last == stepThen && s.first == stepGiven
	case stepThen, stepAnd:
		return s.last != stepNone
	}
	return false
}
