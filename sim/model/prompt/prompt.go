// Package prompt parses the engine's prompts for a scripted model: the lines of the diff in a generation
// prompt, the claims of a verification prompt, and the pairs of reports in a comparison. It handles the form
// of the text, not the answers.
package prompt

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
)

// Line is a line of a diff.
type Line struct {
	Path    string
	Number  int
	Old     bool // of the version before the change, otherwise of the new one
	Changed bool // added or removed
	Text    string
}

// Diff is the part of a change that a prompt shows, in its order.
type Diff []Line

// numbered matches a line: number, a space, "+", "-" or a space, and the code after one more space.
var numbered = regexp.MustCompile(`^\s*(\d+)(?: ([-+ ])(?: (.*))?)?$`)

// ReadDiff returns the diff of a prompt: "=== path" starts a file, "new:" and "old:" start blocks of lines. A
// "---" line starts surrounding code, which is not part of the diff.
func ReadDiff(text string) Diff {
	var out Diff
	path, old, skip := "", false, true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "=== "):
			path, skip, old = strings.TrimPrefix(line, "=== "), false, false
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "</"):
			path, skip = "", true
		case path != "" && line == "old:":
			skip, old = false, true
		case path != "" && (line == "new:" || strings.HasPrefix(line, "@@")):
			skip, old = false, false
		case skip:
		default:
			if m := numbered.FindStringSubmatch(line); m != nil {
				if n, err := strconv.Atoi(m[1]); err == nil {
					out = append(out, Line{Path: path, Number: n, Old: old, Changed: m[2] == "+" || m[2] == "-", Text: m[3]})
				}
			}
		}
	}
	return out
}

// Find returns the line of the new version of a path, with a number of at least from, that equals the text or,
// failing that, contains it. It prefers added lines. It returns nil if no line fits.
func (d Diff) Find(path, text string, from int) *Line {
	var best *Line
	bestScore := 0
	for i := range d {
		l := &d[i]
		if l.Old || l.Path != path || l.Number < from || !strings.Contains(l.Text, text) {
			continue
		}
		score := 1
		if l.Changed {
			score++
		}
		if strings.TrimRight(l.Text, " \t") == strings.TrimRight(text, " \t") {
			score += 2
		}
		if score > bestScore {
			best, bestScore = l, score
		}
	}
	return best
}

// Code returns the lines first to last of a version of a path, false if the prompt does not show all of them.
func (d Diff) Code(path string, old bool, first, last int) (string, bool) {
	var lines []string
	for n := first; n <= last; n++ {
		i := slices.IndexFunc(d, func(l Line) bool { return l.Path == path && l.Number == n && l.Old == old })
		if i < 0 {
			return "", false
		}
		lines = append(lines, d[i].Text)
	}
	return strings.Join(lines, "\n"), true
}

// Claim is a claim of a verification prompt.
type Claim struct {
	ID, Title   string
	Path        string
	First, Last int      // its lines
	Old         bool     // of the version before the change
	AsksAgain   bool     // asks whether an earlier report still holds
	Quote, Code []string // without numbers and marks
	Removed     []string // of Code, the lines that the change removes
	From        int      // number of the first line of Code
	Cited       []string // code of other files, given as evidence
	Beside      []string // definitions and uses of its names, as shown
}

// shownCode matches a line of code with its number and mark.
var shownCode = regexp.MustCompile(`^\s*(\d+)(?: ([-+ ])(?: (.*))?)?$`)

// citedFrom matches the line before code of another file.
var citedFrom = regexp.MustCompile(`^--- \S.*:\d+-\d+$`)

// ReadClaims returns the claims of a prompt: "=== claim <id>" starts one, followed by members of one line
// each, and fenced blocks after "quote:" and "code:".
func ReadClaims(text string) []Claim {
	var out []Claim
	var fence string
	var into *[]string
	over := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if fence != "" {
			switch {
			case line == fence:
				fence, into = "", nil
			case into != nil:
				c := &out[len(out)-1]
				m := shownCode.FindStringSubmatch(line)
				switch {
				case into == &c.Code && m != nil:
					if len(c.Code) == 0 {
						c.From, _ = strconv.Atoi(m[1])
					}
					line = m[3]
					if m[2] == "-" {
						c.Removed = append(c.Removed, line)
					}
				case into == &c.Beside:
				case into != &c.Quote && citedFrom.MatchString(line):
					into = &c.Cited
					continue
				}
				*into = append(*into, line)
			}
			continue
		}
		if id, ok := strings.CutPrefix(line, "=== claim "); ok {
			out, over = append(out, Claim{ID: strings.TrimSpace(id)}), false
			continue
		}
		if over = over || strings.HasPrefix(line, "</"); over || len(out) == 0 { // tool output follows
			continue
		}
		c := &out[len(out)-1]
		switch {
		case strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
		case strings.HasPrefix(line, "quote:"):
			into = &c.Quote
		case strings.HasPrefix(line, "code:"):
			into = &c.Code
			if _, id, isShared := strings.Cut(line, "as at claim "); isShared {
				c.shareCode(out, id)
				into = &c.Cited
			}
		case strings.HasPrefix(line, "beside:"):
			into = &c.Beside
		default:
			c.member(line)
		}
	}
	return out
}

// shareCode gives a claim the code of the earlier claim that shows it.
func (c *Claim) shareCode(earlier []Claim, id string) {
	for i := range earlier {
		if o := &earlier[i]; o.ID == id {
			c.Code, c.Removed, c.From = slices.Clone(o.Code), slices.Clone(o.Removed), o.From
		}
	}
}

func (c *Claim) member(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch name {
	case "title":
		c.Title = value
	case "path":
		c.Path = value
	case "lines":
		first, last, _ := strings.Cut(value, "-")
		c.First, _ = strconv.Atoi(first)
		c.Last, _ = strconv.Atoi(last)
	case "side":
		c.Old = strings.HasPrefix(value, "LEFT")
	case "question":
		c.AsksAgain = true
	}
}

// Telling returns the first line that is distinctive enough to be recognised, otherwise the first that is not
// blank.
func Telling(lines []string) string {
	best := ""
	for _, l := range lines {
		letters := len(strings.Join(strings.Fields(l), ""))
		if letters >= 4 && strings.ContainsFunc(l, unicode.IsLetter) {
			return l
		}
		if best == "" && letters > 0 {
			best = l
		}
	}
	return best
}

// Pair is two reports to compare, by their titles.
type Pair struct{ ID, Earlier, Now string }

// pairOfReports matches a pair in a prompt: "=== pair <id> at <path>", "earlier: <title>", and further on
// "now: <title>".
var pairOfReports = regexp.MustCompile(`(?m)^=== pair (\S+) at .*\nearlier: (.*)(?s:.*?)^now: (.*)$`)

// ReadPairs returns the pairs of a prompt.
func ReadPairs(text string) []Pair {
	var out []Pair
	for _, m := range pairOfReports.FindAllStringSubmatch(text, -1) {
		out = append(out, Pair{m[1], m[2], m[3]})
	}
	return out
}

var lensLine = regexp.MustCompile(`(?m)^lens: (\S+)$`)

// Lens returns the lens of the pass in a generation prompt: "general", "general-2", "rules", "security",
// "contract"; "" without one. It follows the change, whose lines begin with numbers.
func Lens(text string) string {
	if m := lensLine.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var synopsisLine = regexp.MustCompile(`(?m)^This time, also write the synopsis: `)

// AsksSynopsis reports whether a generation prompt asks for a sentence on the whole change.
func AsksSynopsis(text string) bool { return synopsisLine.MatchString(text) }

var stageLine = regexp.MustCompile(`(?m)^stage:[ \t]*(\S+)[ \t]*$`)

// Stage returns the word after "stage:" on its own line of a system text; "" without such a line.
func Stage(system string) string {
	if m := stageLine.FindStringSubmatch(system); m != nil {
		return m[1]
	}
	return ""
}

// called matches the names that lines call.
var called = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*\(`)

// Names returns the names that the claim's lines call, each once, in their order.
func (c Claim) Names() (out []string) {
	for _, l := range c.Quote {
		for _, m := range called.FindAllStringSubmatch(notCode.ReplaceAllString(l, ""), -1) {
			if !slices.Contains([]string{"if", "for", "while", "switch", "return", "func", "len", "catch", "append", "print"}, m[1]) &&
				!slices.Contains(out, m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// shownLine matches a line of code in a tool's result.
var shownLine = regexp.MustCompile(`^\s*\d+ [ +] (.*)$`)

// Shown returns the lines of code in a tool's result, without their numbers.
func Shown(result string) (out []string) {
	for line := range strings.Lines(result) {
		if m := shownLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && strings.TrimSpace(m[1]) != "" {
			out = append(out, m[1])
		}
	}
	return out
}
