package ask

import (
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// Bounds of the search for findings beside an empty list (design choices).
const (
	maxMentions = 200 // places that name a file
	mentionSide = 80  // bytes on each side of a name that are searched for its line
)

var (
	lineBehind = regexp.MustCompile("(?is)^(?:[`\"'*)\\]]{0,3}[:#@]L?\\d|.{0,60}?\\b(?:lines?|start|start_line|lineno|line_number)\\b" +
		"[^\\w\n]{0,6}\\d|[`*\"'\\s]*[|(]\\s*L?\\d)")
	lineBefore = regexp.MustCompile("(?is)(?:\\b(?:lines?|start|start_line|line_number)\\b[^\\w\n]{1,6}\\d.{0,40}|" +
		"\\|\\s*\\d+\\s*\\|[`*\\s]*)$")
	graveNote = regexp.MustCompile(`(?i)\b(?:severity|priority)\b\W{1,12}(?:critical|high|medium|major|minor|low|blocker|p[0-4])\b`)
	graveWord = regexp.MustCompile(`(?i)\b(?:critical|high|medium|low|blocker|major|minor|severe|p[0-4])\b|🔴|🟠|🟡`)
	listLine  = regexp.MustCompile(`^\s*(?:[-*+•|#>]|\d+[.)]|🔴|🟠|🟡)`)
	sentences = regexp.MustCompile(`[.!?](?:\s|"|$)|\n|\\n|;`)
	denial    = regexp.MustCompile(`(?i)(?:^|[:|])\W*none\W*$|\b(?:(?:found|find|see|report|flag) nothing` +
		`|nothing(?: (?:is|was|looks|to|found|fails|breaks|wrong|else|of|stands|suspicious|broken|serious|critical)\b` +
		`|\W*$)` +
		`|none (?:found|of (?:them|these|the)|reported|identified|detected|seen)` +
		`|no (?:\w+ ){0,3}(?:issues?|problems?|defects?|findings?|bugs?|errors?|concerns?|changes?)` +
		`|looks? (?:good|fine|correct|ok|okay|safe|right)|(?:is|are|was|were) (?:all )?(?:fine|safe|correct|ok|okay|clean|unchanged|` +
		`sound|right))\b`)
	lack = regexp.MustCompile(`(?i)\bno (?:\w+ ){0,2}(?:error|bug|change|problem|issue)s?[- ]` +
		`(?:handl\w+|check\w*|message\w*|code\w*|propagation|return\w*|paths?|wrapping|log\w*|detection|track\w+)\b`)
	praise = regexp.MustCompile(`(?i)\b(?:cosmetic|harmless|as (?:expected|intended|before)|` +
		`(?:should|will|would|can) be (?:fine|safe|correct|ok|okay)` +
		`|(?:now|correctly|properly) (?:handles?|validates?|checks?|guards?|closes?|escapes?|ignores?))\b`)
	coverage   = regexp.MustCompile(`(?i)\b(?:looked at|read|reviewed|checked|inspected|examined|went through|covers?|covered)\b`)
	lineNamed  = regexp.MustCompile(`(?i)\blines?[\s#:]{1,3}\d|\bL\d+\b`)
	graveLabel = regexp.MustCompile("(?im)^[ \\t]*(?:[-*+•#>|]+[ \\t]*|\\d+[.)][ \\t]*|[🔴🟠🟡][ \\t]*)?[*_`\"\\[(]{0,4}" +
		"(?:critical|high|medium|low|blocker|major|minor|severe|p[0-4])(?: severity)?(?:[*_`\"\\])]{0,4}[ \\t]*[:–—|]|[*_`\"\\])]{1,4}[ \\t])")
	defect = regexp.MustCompile(`(?i)\b(?:divi\w+ by zero|crash\w*|panic\w*|throws?|fails?|leak\w*|overflow\w*|underflow\w*|` +
		`deadlock\w*|races?` +
		`|never|missing|misses|lacks?|wrong\w*|incorrect\w*|invalid|unvalidated|unescaped|unchecked|unsafe|insecure|injection|` +
		`vulnerab\w+|exposes?` +
		`|(?:does|do|is|are|can|should|will|must)(?: not|n't)|cannot|bugs?|broken|breaks?|off by one|out of (?:bounds|range)` +
		`|(?:nil|null|none|undefined) (?:pointer|reference|dereference)|dereferenc\w+|should|ignor\w+|swallow\w*|los(?:es?|t)|infinite)\b`)
	contrast = regexp.MustCompile(`(?i)\b(?:but|however|never|(?:is|are|does|do) not|found|which|where|because|missing` +
		`|divides?|fails?|panics?|crash\w*)\b`)
)

// problemNames are members that list problems.
var problemNames = []string{"issues", "problems", "bugs", "defects", "errors", "vulnerabilities", "concerns"}

// reportsBeside reports whether an answer with an empty list reports a problem in another form: it names a file of the
// change with a line or a severity, describes a defect with a line or a severity, or lists problems in sentences.
// Sentences that deny a defect do not count.
func (a Answer) reportsBeside(values []*jsonrepair.Value) bool {
	if len(a.Paths) == 0 {
		return false
	}
	for _, v := range values {
		if listsProblems(v) {
			return true
		}
	}
	text, named := withoutThoughts(a.Text), false
	for _, place := range append(lineNamed.FindAllStringIndex(text, maxMentions), graveLabel.FindAllStringIndex(text, maxMentions)...) {
		if first, last := sentenceAt(text, place[0], place[1]); defect.MatchString(text[first:last]) && !denies(text[first:last]) {
			return true
		}
	}
	seen := map[string]bool{}
	for _, p := range a.Paths {
		name := path.Base(p)
		if seen[name] {
			continue
		}
		seen[name] = true
		for from, n := 0, 0; n < maxMentions; n++ {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(name)
			from = end
			if start > 0 && (strings.ContainsRune("-_.", rune(text[start-1])) || letterOrDigit(text[start-1])) ||
				end < len(text) && letterOrDigit(text[end]) {
				continue
			}
			first, last := sentenceAt(text, start, end)
			sentence := text[first:last]
			if denies(sentence) {
				continue
			}
			named = true
			if lineBehind.MatchString(text[end:min(end+mentionSide, len(text))]) ||
				lineBefore.MatchString(beforePath(text[max(0, start-mentionSide-len(p)):start])) ||
				listLine.MatchString(text[strings.LastIndexByte(text[:start], '\n')+1:start]) && graveWord.MatchString(sentence) {
				return true
			}
		}
	}
	return named && graveNote.MatchString(text)
}

// denies reports whether a sentence only says that nothing is wrong, lists the examined parts, or praises
// the change.
func denies(sentence string) bool {
	if denial.MatchString(sentence) && !lack.MatchString(sentence) || coverage.MatchString(sentence) && !contrast.MatchString(sentence) {
		return true
	}
	rest := praise.ReplaceAllString(sentence, " ")
	return rest != sentence && !contrast.MatchString(rest) && !defect.MatchString(rest)
}

// letterOrDigit reports whether a byte is an ASCII letter or digit.
func letterOrDigit(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// beforePath returns a text without the folders at its end.
func beforePath(text string) string {
	return strings.TrimRightFunc(text, func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || r < 0x80 && letterOrDigit(byte(r))
	})
}

// sentenceAt returns the beginning and end of the sentence or line around a place.
func sentenceAt(text string, start, end int) (first, last int) {
	first, last = max(0, start-10*mentionSide), min(len(text), end+10*mentionSide)
	for _, m := range sentences.FindAllStringIndex(text[first:start], -1) {
		first = max(first, m[1]+max(0, start-10*mentionSide))
	}
	if m := sentences.FindStringIndex(text[end:last]); m != nil {
		last = end + m[0]
	}
	return first, last
}

// listsProblems reports whether a value has a list of problems that is not empty.
func listsProblems(v *jsonrepair.Value) bool {
	for i, k := range v.Keys {
		for _, name := range problemNames {
			if !isNamed(k, name) || v.Items[i].Kind != jsonrepair.List {
				continue
			}
			for _, it := range v.Items[i].Items {
				if it.Kind == jsonrepair.Object && len(it.Items) > 0 ||
					it.Kind == jsonrepair.String && strings.Contains(strings.TrimSpace(it.Text), " ") && !denial.MatchString(it.Text) {
					return true
				}
			}
		}
	}
	for _, it := range v.Items {
		if it.Kind == jsonrepair.Object && listsProblems(it) {
			return true
		}
	}
	return false
}
