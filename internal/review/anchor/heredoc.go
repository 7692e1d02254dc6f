package anchor

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// heredocs match, by language, the beginnings of here-documents, which end at a line with their word.
var heredocs = map[string]*regexp.Regexp{
	"PHP":  regexp.MustCompile(`<<<[ \t]*["']?([A-Za-z_]\w*)["']?\s*$`),
	"Ruby": regexp.MustCompile("<<[~-]?[\"'`]?([A-Z_][A-Z0-9_]*)[\"'`]?"),
	"Perl": regexp.MustCompile(`<<~?["']?([A-Z_][A-Z0-9_]*)["']?`),
}

// withoutTexts returns a file with empty lines in place of its here-documents. A here-document without a
// closing line stays as it is.
func withoutTexts(language, content string) string {
	begins := heredocs[language]
	if begins == nil || !strings.Contains(content, "<<") {
		return content
	}
	lines := strings.SplitAfter(content, "\n")
	last := map[string]int{} // the last line that begins with a word
	word := func(l string) string {
		t := strings.TrimSpace(l)
		n := strings.IndexFunc(t, func(r rune) bool { return !partOfWord(r) })
		if n < 0 || language != "PHP" && n > 0 {
			n = len(t)
		}
		return t[:n]
	}
	for i, l := range lines {
		last[word(l)] = i
	}
	var ends []string
	for i, l := range lines {
		if len(ends) > 0 {
			if word(l) != ends[0] {
				lines[i] = strings.Repeat("\n", strings.Count(l, "\n"))
				continue
			}
			ends = ends[1:]
		}
		for _, m := range begins.FindAllStringSubmatch(l, -1) {
			if last[m[1]] > i {
				ends = append(ends, m[1])
			}
		}
	}
	return strings.Join(lines, "")
}
