package cilog

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// escaped are escapes of JSON and of shells for the characters of tokens and of assignments. Writers that escape other
// characters for a reason, such as < and quotation marks, keep theirs.
var escaped = regexp.MustCompile(`\\+(?:u00|x)(?i:2[bdef]|3[0-9d]|[46][1-9a-f]|[57][0-9a]|5f)`)

// plain returns a line with the characters of tokens in one spelling, because an escaped or a full-width letter hides a
// token from every rule.
func plain(line string) string {
	if strings.Contains(line, `\u00`) || strings.Contains(line, `\x`) {
		line = escaped.ReplaceAllStringFunc(line, func(escape string) string {
			code, err := strconv.ParseUint(escape[len(escape)-2:], 16, 8)
			if err != nil {
				return escape
			}
			return string(rune(code))
		})
	}
	if !strings.ContainsFunc(line, isFullWidth) {
		return line
	}
	return strings.Map(func(r rune) rune {
		if isFullWidth(r) {
			return r - fullWidth
		}
		return r
	}, line)
}

// fullWidth is the distance between a character of ASCII and its full-width form (U+FF01 to U+FF5E).
const fullWidth = '！' - '!'

// isFullWidth reports whether a character is the full-width form of a letter, a digit, "-" or "_".
func isFullWidth(r rune) bool {
	return r >= '０' && r <= '９' || r >= 'Ａ' && r <= 'Ｚ' || r >= 'ａ' && r <= 'ｚ' || r == '－' || r == '＿'
}
