package criteria

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

var (
	jsonPair    = regexp.MustCompile(`("(?:[^"\\\n]|\\.)*")(\s*:\s*)("(?:[^"\\\n]|\\.)*")?`)
	jsonText    = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)
	settingLine = regexp.MustCompile(`^(\s*(?:- +)*)("[^"]*"|'[^']*'|[^\s:="'#][^:=]*?)\s*(?::(?:\s|$)|=)\s*(.*)$`)
	blockText   = regexp.MustCompile(`^(?:[!&]\S+\s+)*[|>][-+0-9]*\s*$`)
	element     = regexp.MustCompile(`^\s*(?:- *)+`)
)

// settingsIn blanks sentences among keys and values. A pair with a sentence for its value goes with its key,
// because the key shows only that its author wrote it. Keys of translations stay.
func settingsIn(language, text, code string, translation bool) string {
	if language == "JSON" {
		return jsonSettings(code, translation)
	}
	b := []byte(code)
	at, block := 0, -1 // where the line begins; how far the key of a text of several lines is indented
	for line := range strings.SplitSeq(code, "\n") {
		from, to := at, at+len(line)
		at = to + 1
		original := text[from:to]
		indent := len(original) - len(strings.TrimLeft(original, " \t"))
		if block >= 0 && (indent > block || strings.TrimSpace(original) == "") {
			blanked(b, from, to)
			continue
		}
		block = -1
		m := settingLine.FindStringSubmatchIndex(line)
		switch {
		case m == nil:
			if saysWords(element.ReplaceAllString(line, "")) {
				blanked(b, from, to)
			}
		case language == "YAML" && blockText.MatchString(line[m[6]:m[7]]):
			block = indent
			blanked(b, from, to)
		case saysWords(line[m[4]:m[5]]) || saysWords(line[m[6]:m[7]]) && !translation:
			blanked(b, from, to)
		case saysWords(line[m[6]:m[7]]):
			blanked(b, from+m[6], to)
		}
	}
	return string(b)
}

// jsonSettings is [settingsIn] for JSON, whose lines may be of any length.
func jsonSettings(code string, translation bool) string {
	b := []byte(code)
	for _, m := range jsonPair.FindAllStringSubmatchIndex(code, -1) {
		switch value := m[6] >= 0 && saysWords(code[m[6]:m[7]]); {
		case saysWords(code[m[2]:m[3]]), value && !translation:
			blanked(b, m[0], m[1])
		case value:
			blanked(b, m[6], m[7])
		}
	}
	for _, m := range jsonText.FindAllStringIndex(string(b), -1) {
		if saysWords(string(b[m[0]:m[1]])) {
			blanked(b, m[0], m[1])
		}
	}
	return string(b)
}
