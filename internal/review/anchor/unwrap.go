package anchor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Reasons why [unwrap] gives up.
const (
	whyFence   = "its code fences cannot be told from code"
	whyMarkers = "it looks like a diff, not like code"
	whyNumbers = "it begins with line numbers"
	whyEscapes = "it holds line breaks or signs that were escaped for another place"
	whyElided  = "it leaves code out and says so in a comment"
)

var (
	fenceLine  = regexp.MustCompile("^[ \t]*(?:`{3,}|~{3,})[ \t]*([A-Za-z0-9_+#.:-]*)[ \t]*$")
	hunkHeader = regexp.MustCompile(`^(?:@@ .*@@.*|--- (?:a/|/dev/null).*|\+\+\+ (?:b/|/dev/null).*|` +
		`diff --git .*|index [0-9a-f]{7,}\.\.[0-9a-f]{7,}.*)$`)
	elision = regexp.MustCompile(`^[ \t]*(?:#|//|--|;|%|/\*|<!--|\{/\*)+[ \t]*` +
		`(?:\.\.\.|…|\[?(?:rest|existing|remaining|previous|other|unchanged) (?:of|code|lines|unchanged|the same)\b)`)
	entity = regexp.MustCompile(`&(?:lt|gt|amp|quot|apos|#39|#x27);`)
	// escapedBreak matches a line break that was written as two signs behind the end of a statement.
	escapedBreak = regexp.MustCompile(`[;{}),:]\\n`)
	escapedEnd   = regexp.MustCompile(`\\n(?: {2,}|\\t|\t)`)
	// numberedLine matches a line behind its number, as prompts, editors and "cat -n" write it: with the
	// mark of a prompt, a separator, or a tab.
	numberedLine = regexp.MustCompile(`^[ \t]*L?(\d{1,7})(?: ?[|:→] ?| [ +-] |\t|[ ]{1,2})(.*)$`)
)

// unwrap removes the parts of a proposed text that belong to its transport: code fences, signs of a diff,
// and line numbers. It removes them only if the replaced lines prove that they are not code. It returns why
// the text cannot be read as code, "" if it can.
func (p *proposal) unwrap(text string) (string, string) {
	old, content, language := p.old, p.content, p.language
	lines := strings.Split(text, "\n")
	for _, step := range []func([]string) ([]string, string){
		func(l []string) ([]string, string) { return unfence(l, old, content, language) },
		func(l []string) ([]string, string) { return unmark(l, old, language) },
		func(l []string) ([]string, string) { return unnumber(l, old, p.start) },
	} {
		out, why := step(lines)
		if why != "" {
			return text, why
		}
		if strings.TrimSpace(strings.Join(out, "")) == "" && strings.TrimSpace(text) != "" {
			return text, whyMarkers // nothing is left of the text, but a deletion has an empty text from the start
		}
		lines = out
	}
	out := strings.Join(lines, "\n")
	before := strings.Join(old, "\n")
	switch {
	case !isMarkup[language] && entity.MatchString(codeIn(language, out)) && !entity.MatchString(before):
		return out, whyEscapes
	case len(lines) == 1 && !strings.Contains(before, `\n`) &&
		(escapedEnd.MatchString(out) || escapedBreak.MatchString(codeIn(language, out))):
		return out, whyEscapes
	case slices.ContainsFunc(lines, elision.MatchString) && !slices.ContainsFunc(old, elision.MatchString):
		return out, whyElided
	}
	return out, ""
}

// codeIn returns a text without its comments and strings, "" if the syntax of the language is not known.
func codeIn(language, text string) string {
	syn := syntaxOf(language)
	if syn == nil {
		return ""
	}
	var b strings.Builder
	syn.scanTokens(text, func(k kind, _ int, piece string) {
		if k == kindCode {
			b.WriteString(piece)
		}
	})
	return b.String()
}

// unfence removes the fences around a text.
func unfence(lines, old []string, content []byte, language string) ([]string, string) {
	var at []int
	for i, l := range lines {
		if fenceLine.MatchString(l) {
			at = append(at, i)
		}
	}
	last := len(lines) - 1
	closes := len(at) > 0 && at[len(at)-1] == last && fenceLine.FindStringSubmatch(lines[last])[1] == ""
	opens := len(at) > 0 && at[0] == 0
	out := lines
	switch {
	case opens && closes && len(at) != 1 && len(at)%2 == 0:
		out = lines[1:last]
	case len(at)%2 == 1 && closes:
		out = lines[:last]
	case len(at)%2 == 1 && opens:
		out = lines[1:]
	default:
		return lines, ""
	}
	fenced := func(l string) bool { return fenceLine.MatchString(strings.TrimSuffix(l, "\r")) }
	if language == "markdown" || slices.ContainsFunc(old, fenced) || slices.ContainsFunc(strings.Split(string(content), "\n"), fenced) {
		return lines, whyFence
	}
	return out, ""
}

// unmark removes the signs of a diff if its removed and unchanged lines are the replaced lines.
func unmark(lines, old []string, language string) ([]string, string) {
	header := false
	rest := slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		is := hunkHeader.MatchString(l)
		header = header || is
		return is
	})
	begins := func(list []string, signs string) bool {
		return slices.ContainsFunc(list, func(l string) bool { return l != "" && strings.IndexByte(signs, l[0]) >= 0 })
	}
	if begins(old, "+@") || header && begins(old, "+-@") {
		return lines, "" // the file itself contains a diff
	}
	if !header && !begins(rest, "+-") {
		return lines, ""
	}
	var out []string
	added, matched, at, proves := 0, 0, 0, true
	for _, l := range rest {
		if strings.TrimSpace(l) == "" {
			out = append(out, "")
			continue
		}
		switch l[0] {
		case '+':
			added++
			out = append(out, l[1:])
			continue
		case '-', ' ', '\t':
		default:
			proves = false
			continue
		}
		found := slices.IndexFunc(old[min(at, len(old)):], func(o string) bool { return strings.TrimSpace(o) == strings.TrimSpace(l[1:]) })
		if found < 0 {
			proves = false
			continue
		}
		at += found + 1
		if l[0] == '-' {
			matched++
			continue
		}
		out = append(out, l[1:])
	}
	switch list := language == "YAML" || isMarkup[language]; {
	case proves && added > 0 && (matched > 0 || header):
		return out, ""
	case proves && added == len(rest)-count(rest, "") && !list && syntaxOf(language) != nil:
		return out, ""
	case header || begins(rest, "+") || !list && begins(rest, "-") && !begins(old, "-"):
		return lines, whyMarkers
	}
	return lines, ""
}

func count(list []string, of string) (n int) {
	for _, l := range list {
		if strings.TrimSpace(l) == of {
			n++
		}
	}
	return n
}

// unnumber removes line numbers that count up from a line near the replaced ones.
func unnumber(lines, old []string, start int) ([]string, string) {
	if !slices.ContainsFunc(old, func(l string) bool { return strings.TrimSpace(l) != "" && !numberedLine.MatchString(l) }) {
		return lines, "" // the file itself contains numbers
	}
	next, seen, marked := 0, 0, true
	var out []string
	for _, l := range lines {
		m := numberedLine.FindStringSubmatch(l)
		if m == nil {
			if strings.TrimSpace(l) == "" {
				out = append(out, "")
				continue
			}
			if marked = false; seen > 0 {
				break
			}
			return lines, ""
		}
		n, _ := strconv.Atoi(m[1])
		if seen == 0 && (n < start-1 || n >= start+2*MaxSuggestion) || seen > 0 && n != next && n != next-1 {
			marked = false
		}
		seen++
		next = n + 1
		out = append(out, m[2])
	}
	switch {
	case seen == 0:
		return lines, ""
	case marked:
		return out, ""
	}
	return lines, whyNumbers
}
