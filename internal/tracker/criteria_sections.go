package tracker

import (
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
)

// plainNames are headings that plainly name acceptance criteria, in the form of [sectionName]: English,
// German, French, Spanish, Portuguese, Italian, Dutch, Japanese, Chinese.
var plainNames = []string{
	"acceptance criteria", "acceptance criterion", "akzeptanzkriterien", "akzeptanzkriterium", "critères d acceptation",
	"critère d acceptation",
	"criterios de aceptación", "criterio de aceptación", "critérios de aceitação", "critérios de aceite", "criteri di accettazione",
	"acceptatiecriteria",
	"受け入れ基準", "受入基準", "受け入れ条件", "验收标准", "验收条件", "驗收標準",
}

// sectionNames returns the headings to search for, in order: the given one, then plainNames.
func sectionNames(heading string) [][]string {
	if name := sectionName(heading); name != "" {
		return [][]string{{name}, plainNames}
	}
	return [][]string{plainNames}
}

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)
	aside       = regexp.MustCompile(`\([^()]*\)\s*:?\s*$`)
	numbering   = regexp.MustCompile(`^\d{1,3}(\.\d{1,3})*[.)]?\s+`)
)

// sectionName returns a heading in the form for comparison: its words in lower case, without marks, leading
// numbers and a trailing aside in brackets.
func sectionName(heading string) string {
	heading = numbering.ReplaceAllString(plainLine(aside.ReplaceAllString(heading, "")), "")
	return strings.Join(strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

// Levels of headings that are not headings in Markdown.
const (
	levelNone  = 0
	levelBold  = 7 // a line of bold text
	levelPlain = 8 // a line of text that ends in a colon
)

var (
	atx      = regexp.MustCompile(`^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$`)
	setext   = regexp.MustCompile(`^ {0,3}(=+|-+)\s*$`)
	boldLine = regexp.MustCompile(`^ {0,3}(?:\*\*([^*]+)\*\*|__([^_]+)__)\s*:?\s*$`)
	rule     = regexp.MustCompile(`^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$`)
	fence    = regexp.MustCompile("^\\s*(```+|~~~+)")
)

// headingAt reads the heading that begins at a line: its level, text and number of lines. The level is
// levelNone if no heading begins there.
func headingAt(lines []string, at int) (level int, text string, length int) {
	line := lines[at]
	if m := atx.FindStringSubmatch(line); m != nil {
		return len(m[1]), m[2], 1
	}
	if m := boldLine.FindStringSubmatch(line); m != nil {
		return levelBold, m[1] + m[2], 1
	}
	if at+1 < len(lines) && hasLetters(line) && !isItem(line) && !strings.HasPrefix(strings.TrimSpace(line), "|") {
		if m := setext.FindStringSubmatch(lines[at+1]); m != nil && (at == 0 || strings.TrimSpace(lines[at-1]) == "") {
			if level = 1; m[1][0] == '-' {
				level = 2
			}
			return level, line, 2
		}
	}
	return levelNone, "", 1
}

// section is the text below a heading.
type section struct {
	heading string
	lines   []string
}

// maxSections is the most sections of one name that are searched.
const maxSections = 10

// sections returns the first sections below headings with the given names.
func sections(lines []string, names []string) (out []section) {
	code := false
	for at := 0; at < len(lines) && len(out) < maxSections; at++ {
		if fence.MatchString(lines[at]) {
			code = !code
		}
		if code {
			continue
		}
		level, text, length := headingAt(lines, at)
		first := ""
		if level == levelNone {
			label, rest, _ := cutLabel(lines[at])
			level, text, first = levelPlain, label, rest
		}
		if isItem(lines[at]) || !slices.Contains(names, sectionName(text)) {
			continue
		}
		body := cutAtHeading(lines[at+length:], level)
		if first = strings.TrimSpace(first); first != "" {
			body = append([]string{first}, body...)
		}
		out = append(out, section{plainLine(strings.TrimSuffix(strings.TrimSpace(text), ":")), body})
	}
	return out
}

// cutLabel splits a line into the label before its first colon and the rest.
func cutLabel(line string) (label, rest string, found bool) {
	for _, colon := range []string{":", "：", "**"} {
		if label, rest, found = strings.Cut(line, colon); found && strings.TrimSpace(label) != "" {
			return label, strings.TrimLeft(rest, "*_"), true
		}
	}
	return line, "", false
}

// maxLabel is the most words of a line that ends a section of plain text.
const maxLabel = 4

// cutAtHeading returns the lines before the heading that ends a section of a level.
func cutAtHeading(lines []string, level int) []string {
	code, items := false, false
	for at, line := range lines {
		if fence.MatchString(line) {
			code = !code
		}
		if code {
			continue
		}
		items = items || isItem(line)
		next, _, _ := headingAt(lines, at)
		trimmed := strings.TrimSpace(line)
		switch {
		case next == levelNone && level >= levelBold && rule.MatchString(line):
			return lines[:at]
		case next != levelNone && (next < levelBold && next <= level || next >= levelBold && level >= levelBold):
			return lines[:at]
		case level == levelPlain && items && at > 0 && strings.TrimSpace(lines[at-1]) == "" && !strings.HasPrefix(line, " ") &&
			strings.HasSuffix(trimmed, ":") && len(strings.Fields(trimmed)) <= maxLabel && !isItem(line) && stepOf(trimmed) == stepNone:
			return lines[:at]
		}
	}
	return lines
}
