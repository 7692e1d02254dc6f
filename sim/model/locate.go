package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// newLine is a line of the new version in the diff of a prompt.
type newLine struct {
	path   string
	number int
	added  bool
	text   string
}

// shownDiff is what a prompt shows of the new version, in its order.
type shownDiff []newLine

// numbered is a line of the new version: number, a space, "+" or a space, and the code after one more space.
var numbered = regexp.MustCompile(`^\s*(\d+)(?: ([+ ])(?: (.*))?)?$`)

// parseDiff reads the diff of a prompt: "=== path" starts a file, "old:" a block of removed lines that "new:", "@@" or
// the next file ends; all other numbered lines are of the new version. A "---" line starts surrounding code, which is not
// part of the diff.
func parseDiff(text string) shownDiff {
	var out shownDiff
	path, skip := "", true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "=== "):
			path, skip = strings.TrimPrefix(line, "=== "), false
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "</"):
			path, skip = "", true
		case line == "old:":
			skip = true
		case path != "" && (line == "new:" || strings.HasPrefix(line, "@@")):
			skip = false
		case skip:
		default:
			if m := numbered.FindStringSubmatch(line); m != nil {
				n, err := strconv.Atoi(m[1])
				if err == nil {
					out = append(out, newLine{path, n, m[2] == "+", m[3]})
				}
			}
		}
	}
	return out
}

// find returns the line of a path, with a number of at least from, that equals the text or else contains it; an added
// one before an unchanged one. Nil if there is none.
func (d shownDiff) find(path, text string, from int) *newLine {
	var best *newLine
	bestScore := 0
	for i := range d {
		l := &d[i]
		if l.path != path || l.number < from || !strings.Contains(l.text, text) {
			continue
		}
		score := 1
		if l.added {
			score++
		}
		if strings.TrimRight(l.text, " \t") == strings.TrimRight(text, " \t") {
			score += 2
		}
		if score > bestScore {
			best, bestScore = l, score
		}
	}
	return best
}

// code returns the lines first to last of a path, false if not all are shown.
func (d shownDiff) code(path string, first, last int) (string, bool) {
	var lines []string
	for n := first; n <= last; n++ {
		i := slices.IndexFunc(d, func(l newLine) bool { return l.path == path && l.number == n })
		if i < 0 {
			return "", false
		}
		lines = append(lines, d[i].text)
	}
	return strings.Join(lines, "\n"), true
}

// span returns the lines that a finding covers.
func (d shownDiff) span(f Finding) (first, last int, ok bool) {
	from := 0
	if f.StartContains != "" {
		l := d.find(f.Path, f.StartContains, 0)
		if l == nil {
			return 0, 0, false
		}
		from = l.number
	}
	end := d.find(f.Path, f.LineContains, from)
	if end == nil {
		return 0, 0, false
	}
	if from > 0 {
		return from, end.number, true
	}
	if f.Fix != nil && strings.Contains(f.Fix.Old, "\n") {
		want := strings.TrimRight(f.Fix.Old, "\n")
		height := strings.Count(want, "\n")
		for n := max(end.number-height, 1); n <= end.number; n++ {
			if code, shown := d.code(f.Path, n, n+height); shown && code == want {
				return n, n + height, true
			}
		}
	}
	return end.number, end.number, true
}

// foundFinding and the types below are a generation answer as the engine's schema asks for it.
type foundFinding struct {
	Path        string          `json:"path"`
	Side        string          `json:"side"`
	Start       int             `json:"start"`
	End         int             `json:"end"`
	Quote       string          `json:"quote"`
	Category    string          `json:"category"`
	RuleKey     string          `json:"rule_key"`
	Severity    string          `json:"severity"`
	Title       string          `json:"title"`
	Trigger     string          `json:"trigger"`
	Explanation string          `json:"explanation"`
	Evidence    []foundEvidence `json:"evidence"`
	Fix         *foundFix       `json:"fix"`
	SelfDoubt   float64         `json:"self_doubt"`
	SameAs      string          `json:"same_as"`
}

type foundEvidence struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Quote string `json:"quote"`
	Note  string `json:"note"`
}

type foundFix struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// locateFindings answers with those findings whose lines are in the request's diff.
func locateFindings(q *request, findings []Finding) (json.RawMessage, error) {
	d := parseDiff(q.user)
	out := []foundFinding{}
	for _, f := range findings {
		first, last, ok := d.span(f)
		if !ok {
			continue
		}
		quote, ok := d.code(f.Path, first, last)
		if !ok {
			continue // the range is torn: a part of it is not shown
		}
		a := foundFinding{Path: f.Path, Side: "RIGHT", Start: first, End: last, Quote: quote, Title: f.Title, Explanation: f.Explanation,
			Trigger: f.Trigger, SelfDoubt: f.SelfDoubt, Evidence: []foundEvidence{},
			Category: allowed(q.schema, "category", f.Category, "bug"), RuleKey: allowed(q.schema, "rule_key", f.RuleKey, "other"),
			Severity: allowed(q.schema, "severity", f.Severity, "high")}
		if f.Quote != "" {
			a.Quote = f.Quote
		}
		if f.Fix != nil {
			a.Fix = &foundFix{quote, f.Fix.New}
			if f.Fix.Old != "" {
				a.Fix.Old = f.Fix.Old
			}
		}
		for _, e := range f.Evidence {
			if l := d.find(e.Path, e.LineContains, 0); l != nil {
				a.Evidence = append(a.Evidence, foundEvidence{e.Path, l.number, l.number, l.text, e.Note})
			}
		}
		out = append(out, a)
	}
	return plainJSON(map[string]any{"findings": out})
}

// allowed returns the value if the schema's enumeration of a finding's member holds it (or there is none), else the
// fallback if that is allowed, else the first value.
func allowed(schema json.RawMessage, member, value, fallback string) string {
	var s struct {
		Properties struct {
			Findings struct {
				Items struct {
					Properties map[string]struct {
						Enum []string `json:"enum"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"findings"`
		} `json:"properties"`
	}
	if value == "" {
		value = fallback
	}
	if json.Unmarshal(schema, &s) != nil {
		return value
	}
	enum := s.Properties.Findings.Items.Properties[member].Enum
	switch {
	case len(enum) == 0, slices.Contains(enum, value):
		return value
	case slices.Contains(enum, fallback):
		return fallback
	}
	return enum[0]
}
