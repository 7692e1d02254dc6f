package check

import (
	"slices"
	"strings"

	"github.com/rhysd/actionlint"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

var (
	// lintIgnored matches messages about what GitHub accepts, or what newer versions of it may accept.
	lintIgnored = regexp.MustCompile(`is defined but not used|^"if" condition should be type|^undefined function|^undefined variable|` +
		`^unknown Webhook event|^invalid activity type|^constant expression|^string should not be empty|` +
		`^invalid timezone|it is also required|configuration variable|runs too frequently`)
	lintUntrusted = regexp.MustCompile(`^"([^"]+)" is potentially untrusted|^object filter extracts potentially untrusted properties ` +
		`"([^"]+)"`)
	lintUndefined = regexp.MustCompile(`^property "([^"]+)" is not defined`)
	lintQuoted    = regexp.MustCompile(`"([^"]+)"`)
	lintKey       = regexp.MustCompile(`^unexpected key "([^"]*)|^expected "[^"]*" key for .* but got "([^"]*)"$`)
	lintKnownKeys = regexp.MustCompile(`expected one of (.*)$|^expected ("[^"]*") key for `)
	// lintOwn matches an access to what a workflow itself defines. Other contexts get new properties, and a workflow does not know the
	// secrets that its caller has.
	lintOwn = regexp.MustCompile(`(?i)\b(?:steps|needs|inputs|matrix|jobs)\.[\w.*-]+`)
	lintSee = regexp.MustCompile(`[.,]? (?:note: .*|see |instead, |for more details).*$|: https://\S+$`)
)

// workflowLines is the text of a workflow.
type workflowLines struct {
	lines       []string
	expressions []workflowExpression
}

// maxLintMessage bounds the bytes of a message that are looked at. Types of objects in messages are long.
const maxLintMessage = 2000

func lintMessage(e *actionlint.Error) string {
	return strings.Join(strings.Fields(clip.Bytes(e.Message, maxLintMessage)), " ")
}

// faults returns the faults for an error of actionlint: one for each expression with untrusted text, and nil if the error is ignored.
func (l workflowLines) faults(e *actionlint.Error) (out []fault) {
	message := lintMessage(e)
	if lintIgnored.MatchString(message) || isNewKey(message) || strings.HasPrefix(message, "step must run script") && l.isNewStep(e.Line) {
		return nil
	}
	if m := lintUntrusted.FindStringSubmatch(message); m != nil {
		name := m[1] + m[2]
		d := fault{rule: "assay/ci-injection", category: domain.CategorySecurity, severity: domain.High, about: name,
			title: wording.English(wording.TitleInjection),
			says:  wording.English(wording.SayInjection, visible(clip.Runes(name, 80, "…")))}
		for _, e := range l.carriersAt(e.Line, name) {
			d.line, d.lines = e.first, nil
			for n := e.first + 1; n <= e.last; n++ {
				d.lines = append(d.lines, n)
			}
			out = append(out, d)
		}
		return out
	}
	d := fault{rule: "actionlint/" + e.Kind, category: domain.CategoryStaticAnalysis, severity: domain.Medium, line: e.Line,
		title: wording.English(wording.TitleLint, visible(clip.Runes(e.Kind, maxTitleName, "…")))}
	if e.Kind == "deprecated-commands" {
		d.severity = domain.Low
	}
	if m := lintUndefined.FindStringSubmatch(message); m != nil {
		at := l.linesWith(e.Line, func(line string) bool { return hasOwnProperty(line, m[1]) })
		if len(at) == 0 {
			return nil
		}
		d.lines = at
	} else if m := lintQuoted.FindStringSubmatch(message); m != nil && e.Kind == "expression" {
		name := strings.ToLower(m[1])
		d.lines = l.linesWith(e.Line, func(line string) bool {
			return strings.Contains(line, "${{") && strings.Contains(strings.ToLower(line), name)
		})
	}
	d.about = clip.Runes(visible(clip.Line(lintSee.ReplaceAllString(message, ""))), 200, "…")
	d.says = wording.English(wording.SayLint, d.about)
	if strings.HasPrefix(message, "could not parse as YAML") {
		d.whole, d.about = true, "yaml"
	}
	return []fault{d}
}

// hasOwnProperty reports whether a line names a property of a context that the workflow defines.
func hasOwnProperty(line, property string) bool {
	for _, access := range lintOwn.FindAllString(line, -1) {
		names := strings.Split(access, ".")
		if slices.ContainsFunc(names[1:], func(name string) bool { return strings.EqualFold(name, property) }) {
			return true
		}
	}
	return false
}

// isNewKey reports whether a message is about a key that GitHub may know and actionlint does not. It is false for a key that is almost a
// known one.
func isNewKey(message string) bool {
	m := lintKey.FindStringSubmatch(message)
	if m == nil {
		return false
	}
	key := m[1] + m[2]
	known := lintKnownKeys.FindStringSubmatch(message)
	if known == nil {
		return true
	}
	return !slices.ContainsFunc(lintQuoted.FindAllStringSubmatch(known[1]+known[2], -1), func(m []string) bool {
		return isMistyped(strings.ToLower(key), strings.ToLower(m[1]))
	})
}

// isMistyped reports whether a word differs from a known one in at most two letters, and in at most a third of the letters. Two neighbours
// that changed places count as one.
func isMistyped(word, known string) bool {
	const maxWord = 40
	if len(word) > maxWord || len(known) > maxWord {
		return false
	}
	rows := make([][]int, len(word)+1)
	for i := range rows {
		rows[i] = make([]int, len(known)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case word[i-1] == known[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
				if i > 1 && j > 1 && word[i-1] == known[j-2] && word[i-2] == known[j-1] {
					rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
				}
			}
		}
	}
	distance := rows[len(word)][len(known)]
	return distance <= 2 && 3*distance <= max(len(word), len(known))
}

// linesWith returns the lines of the block of text at a line that a function accepts.
func (l workflowLines) linesWith(first int, accept func(line string) bool) (out []int) {
	if first < 1 || first > len(l.lines) {
		return nil
	}
	for i, line := range l.lines[first-1 : l.blockEnd(first)] {
		if accept(line) {
			out = append(out, first+i)
		}
	}
	return out
}

// stepKeys are the keys of steps.
var stepKeys = strings.Fields("continue-on-error env id if name run shell timeout-minutes uses with working-directory")

// isNewStep reports whether the step that begins at a line has another key than steps have, which can be that of a new kind of step.
func (l workflowLines) isNewStep(first int) bool {
	if first < 1 || first > len(l.lines) {
		return false
	}
	indent := indentOf(l.lines[first-1])
	for n, line := range l.lines[first-1:] {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' || indentOf(line) > indent {
			continue
		}
		if indentOf(line) < indent || n > 0 && strings.HasPrefix(text, "-") {
			return false
		}
		key, _, _ := strings.Cut(strings.TrimLeft(text, "- "), ":")
		if !slices.ContainsFunc(stepKeys, func(k string) bool { return key == k || isMistyped(key, k) }) {
			return true
		}
	}
	return false
}

// blockEnd returns the last line of the block of text that begins at a line: the lines below it that stand further to the right.
func (l workflowLines) blockEnd(first int) int {
	if first < 1 || first > len(l.lines) {
		return 0
	}
	indent, end := indentOf(l.lines[first-1]), first
	for n := first; n < len(l.lines); n++ {
		if line := l.lines[n]; strings.TrimSpace(line) != "" {
			if indentOf(line) <= indent {
				break
			}
			end = n + 1
		}
	}
	return end
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " -")) }
