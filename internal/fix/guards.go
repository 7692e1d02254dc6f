package fix

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// guard is a test that a fix must pass, by the text of the edited file alone. It returns true for a fix that fails.
type guard struct {
	reason Reason
	fails  func(p pair) bool
}

// guards are the tests in their order.
var guards = []guard{{WeakensTest, weakens}, {Removes, removes}, {Disables, disables}, {SwallowsError, swallows}, {AddsSwitch, switches},
	{AddsAccess, accesses}, {AddsHidden, looksAlike}}

// docstring matches a text of Python that stands as a statement.
var docstring = regexp.MustCompile(`(?ms)^[ \t]*[rRuUbB]{0,2}(?:"""(?:[^"]|"[^"]|""[^"])*"""|'''(?:[^']|'[^']|''[^'])*''')[ \t]*$`)

// program returns the code of a document without comments and white space that means nothing.
func program(d *document) string {
	code := d.code
	if d.language == "Python" {
		code = docstring.ReplaceAllString(code, "")
	}
	if d.language != "Python" && d.language != "YAML" {
		return strings.ReplaceAll(change.StripSpace(code), ";;", ";")
	}
	var b strings.Builder
	for line := range strings.SplitSeq(code, "\n") {
		if text := strings.TrimLeft(line, " \t"); strings.TrimSpace(text) != "" && strings.TrimSpace(text) != "pass" {
			b.WriteString(line[:len(line)-len(text)] + change.StripSpace(text) + "\n")
		}
	}
	return b.String()
}

// noCode reports whether nothing but comments and white space differs.
func noCode(pairs []pair) bool {
	return !slices.ContainsFunc(pairs, func(p pair) bool { return program(p.before) != program(p.after) })
}

// definitions returns the functions and types of a document by their names.
func definitions(d *document) map[string]structure.Contract {
	out := map[string]structure.Contract{}
	for _, c := range structure.Contracts(d.language, d.raw) {
		if c.Kind != structure.KindValue || holdsFunction(d, c) {
			out[c.Name] = c
		}
	}
	return out
}

// holdsFunction reports whether a value is a function.
func holdsFunction(d *document, c structure.Contract) bool {
	text := strings.Join(at(d.bareLines(), []int{c.Start}), "")
	return strings.Contains(text, "=>") || strings.Contains(text, "function") || strings.Contains(text, "lambda")
}

// condition matches a line that begins a condition.
var condition = regexp.MustCompile(`^\s*(?:\}?\s*else\s+)?(?:if|elif|unless|guard|assert|require)\b`)

// losesCondition reports whether a condition is gone that does not stand on the finding's own lines.
func losesCondition(f domain.Finding, p pair) bool {
	before, after := matching(condition, p.before.bareLines()), matching(condition, p.after.bareLines())
	return p.loses(func(n int) bool {
		own := p.before.path == f.Anchor.Path && n >= f.Anchor.StartLine-1 && n <= f.Anchor.EndLine+1
		return before(n) && !own
	}, after)
}

// removes reports whether a definition is gone or has lost its body.
func removes(p pair) bool {
	after := definitions(p.after)
	if strings.TrimSpace(p.after.code) == "" {
		return true
	}
	for name, was := range definitions(p.before) {
		is, ok := after[name]
		if !ok {
			return true
		}
		before, left := body(p.before, was), body(p.after, is)
		if len(before) >= 4 && len(left) <= max(1, len(before)/3-1) || len(before) >= 2 && len(left) <= 1 && isStub(strings.Join(left, "")) {
			return true
		}
	}
	shared := func(d *document) int { return len(exported.FindAllStringIndex(d.bare, -1)) }
	return shared(p.after) < shared(p.before)
}

// exported matches words by which others may use a definition.
var exported = regexp.MustCompile(`(?m)^[ \t]*(?:export|public|pub)\b`)

// stub matches a body that only says that it is missing.
var stub = regexp.MustCompile(`NotImplemented|UnsupportedOperation|(?i:not\s+implemented)|^\s*panic\(`)

// isStub reports whether a line of a body returns a constant, or says that the body is missing.
func isStub(line string) bool { return drops(line) || stub.MatchString(line) }

// body returns the lines with code within a definition, without its first line and without brackets alone.
func body(d *document, c structure.Contract) (out []string) {
	lines := d.codeLines()
	for _, l := range lines[min(c.Start, len(lines)):min(c.End, len(lines))] {
		if strings.Trim(l, " \t{}();") != "" {
			out = append(out, l)
		}
	}
	return out
}

var (
	constantCondition = regexp.MustCompile(`(?m)\b(?:if|while|elif|unless)\s*\(?\s*!?\s*(?:false|true|False|True|None|null|0|1)\s*\)?\s*` +
		`(?:[:{]|&&|\|\||$|and\b|or\b|return|continue|throw)|(?:&&|\band\b)\s*\(?\s*(?:!\s*true|not\s+True|false|False|0)\b|` +
		`(?:\|\||\bor\b)\s*\(?\s*(?:!\s*false|not\s+False|true|True)\b|\b(?:if|while|elif|unless)\b.*(?:\|\||\bor\b)\s*\(?\s*1\s*(?:[):{]|$)|` +
		`(?:!\s*true|\bnot\s+True|\bfalse|\bFalse)\s*(?:&&|and\b)|(?:!\s*false|\bnot\s+False|\btrue|\bTrue)\s*(?:\|\||or\b)|` +
		`\b[01]\s*(?:[!=]==?|<|>)\s*[01]\b`)
	leavesLine = regexp.MustCompile(`^(?:return\b|throw\b|raise\b|panic\(|break\b|continue\b|sys\.exit\(|os\.Exit\(|` +
		`process\.exit\(|System\.exit\()`)
	mayFollow = regexp.MustCompile(`^(?:[)}\].,?:]|case\b|default\b|else\b|elif\b|except\b|finally\b|catch\b|end\b|while\b|@|\w+:$)`)
	isolated  = regexp.MustCompile(`^(?:if|else|for|while|elif)\b.*[^{:;]$`)
)

// disables reports whether an added line makes a condition constant, or makes code behind it unreachable.
func disables(p pair) bool {
	removed, added := p.sides()
	gone := strings.Join(at(p.before.bareLines(), removed), "\n")
	constants := func(s string) int { return len(constantCondition.FindAllStringIndex(s, -1)) }
	lines := p.after.bareLines()
	if constants(strings.Join(at(lines, added), "\n")) > constants(gone) {
		return true
	}
	if commentsOut(p, removed, added) {
		return true
	}
	return slices.ContainsFunc(added, func(n int) bool { return n <= len(lines) && cutsOff(lines, n-1) })
}

// commentsOut reports whether a removed line of code stands in an added comment.
func commentsOut(p pair, removed, added []int) bool {
	comments := change.StripSpace(p.after.comments(added))
	code := change.StripSpace(strings.Join(at(p.after.codeLines(), added), "\n"))
	return slices.ContainsFunc(at(p.before.codeLines(), removed), func(line string) bool {
		line = change.StripSpace(line)
		return len(line) >= minCommented && strings.Contains(comments, line) && !strings.Contains(code, line)
	})
}

// minCommented is the least number of bytes of a line that is recognised in a comment.
const minCommented = 8

// cutsOff reports whether the statement of a line leaves, and a further statement of the same block follows.
func cutsOff(lines []string, i int) bool {
	text := strings.TrimLeft(lines[i], " \t")
	if !leavesLine.MatchString(strings.TrimSpace(text)) {
		return false
	}
	in := len(lines[i]) - len(text)
	if i > 0 && isolated.MatchString(strings.TrimSpace(lines[i-1])) { // a condition without brackets
		return false
	}
	depth := strings.Count(text, "{") + strings.Count(text, "(") + strings.Count(text, "[") -
		strings.Count(text, "}") - strings.Count(text, ")") - strings.Count(text, "]")
	for _, l := range lines[i+1:] {
		next := strings.TrimLeft(l, " \t")
		if strings.TrimSpace(next) == "" {
			continue
		}
		indent := len(l) - len(next)
		if depth <= 0 && indent <= in {
			return indent == in && !mayFollow.MatchString(strings.TrimSpace(next))
		}
		depth += strings.Count(l, "{") + strings.Count(l, "(") + strings.Count(l, "[") -
			strings.Count(l, "}") - strings.Count(l, ")") - strings.Count(l, "]")
	}
	return false
}
