package tickets

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// outsideCode returns a text without Markdown's fenced code and code spans, in which hosts do not look for references. A fence may
// stand in a quotation or a list. The time is linear in the text.
func outsideCode(text string) string {
	var out, paragraph strings.Builder
	end := func() {
		out.WriteString(outsideSpans(paragraph.String()))
		paragraph.Reset()
	}
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(strings.TrimLeft(line, " \t>"))
		switch {
		case fence != "":
			if len(bare) >= len(fence) && strings.Trim(bare, fence[:1]) == "" {
				fence = ""
			}
		case fenceOf(line) != "":
			end()
			fence = fenceOf(line)
		default:
			paragraph.WriteString(line)
			if bare == "" {
				end()
			}
		}
	}
	end()
	return out.String()
}

// fenceOf returns the fence that a line begins, "" if it begins none.
func fenceOf(line string) string {
	m := fenceBegins.FindStringSubmatch(line)
	if m == nil || m[1][0] == '`' && strings.Contains(m[2], "`") {
		return ""
	}
	return m[1]
}

// outsideSpans returns a paragraph with a space for each code span: what stands between two runs of equally many backticks.
func outsideSpans(s string) string {
	runs := backticks.FindAllStringIndex(s, -1)
	closer, later := make([]int, len(runs)), map[int]int{} // the next run of the same length; 0 without one
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i][1] - runs[i][0]
		closer[i], later[n] = later[n], i
	}
	var b strings.Builder
	at := 0
	for i := 0; i < len(runs); i++ {
		before := s[:runs[i][0]]
		escaped := (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
		if closer[i] == 0 || escaped {
			continue
		}
		b.WriteString(s[at:runs[i][0]])
		b.WriteByte(' ')
		i = closer[i]
		at = runs[i][1]
	}
	return b.String() + s[at:]
}

var (
	// fenceBegins matches a line that begins fenced code.
	fenceBegins = regexp.MustCompile("^(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(`{3,}|~{3,})(.*)")
	backticks   = regexp.MustCompile("`+")
)
