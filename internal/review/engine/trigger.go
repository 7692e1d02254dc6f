package engine

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxTriggerLines is the most lines of a trigger (design choice).
const maxTriggerLines = 12

// fenceLine matches a line that begins or ends a block of code, lineEnds are the ends of lines.
var (
	fenceLine = regexp.MustCompile("^\\s*(?:```+|~~~+)[\\w+-]*$")
	lineEnds  = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
)

// tidyTrigger returns a trigger in the form in which findings keep it: without hidden characters, code fences and blank
// lines at its ends. Several lines keep their indentation, because it belongs to code. A trigger beyond its bounds is cut
// with a mark.
func tidyTrigger(text string) string {
	var lines []string
	for l := range strings.Lines(change.StripInvisible(lineEnds.Replace(text))) {
		l = strings.TrimRight(l, " \t\n")
		isBlank := l == "" && (len(lines) == 0 || lines[len(lines)-1] == "")
		if !isBlank && !fenceLine.MatchString(l) {
			lines = append(lines, l)
		}
	}
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	switch {
	case len(lines) < 2:
		return change.Cut(change.OneLine(strings.Join(lines, "")), finding.MaxTrigger)
	case len(lines) > maxTriggerLines:
		lines = append(lines[:maxTriggerLines], "[…]")
	}
	return change.Cut(strings.Join(lines, "\n"), finding.MaxTrigger)
}

// writeTrigger writes a trigger for a claim: several lines in a fence, so that none of them reads as a line of the claim.
func writeTrigger(text string) string {
	switch text = tidyTrigger(text); {
	case text == "":
		return ""
	case !strings.Contains(text, "\n"):
		return "trigger: " + text + "\n"
	}
	fence := change.Fence(text)
	return "trigger:\n" + fence + "\n" + text + "\n" + fence + "\n"
}
