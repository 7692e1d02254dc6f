package prompt

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Criterion is an acceptance criterion of a prompt.
type Criterion struct{ Name, Text string }

var (
	// criteriaBlock matches the start of the block with the criteria, which follows the change and the issue.
	criteriaBlock = regexp.MustCompile(`(?m)^<\S+ acceptance criteria>$`)
	criterionLine = regexp.MustCompile(`^(c\d+): (.*)$`)
)

// ReadCriteria returns the criteria of a prompt.
func ReadCriteria(text string) (out []Criterion) {
	at := criteriaBlock.FindAllStringIndex(text, -1)
	if len(at) == 0 {
		return nil
	}
	for line := range strings.Lines(text[at[len(at)-1][1]:]) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "</") {
			break
		}
		if m := criterionLine.FindStringSubmatch(line); m != nil {
			out = append(out, Criterion{m[1], m[2]})
		}
	}
	return out
}

// Judgement is the answer about one criterion.
type Judgement struct {
	Criterion string      `json:"criterion"`
	Verdict   string      `json:"verdict"`
	Reason    string      `json:"reason"`
	Quotes    []CodeQuote `json:"quotes"`
	Searched  []Searched  `json:"searched"`
}

// CodeQuote is code at the head that meets a criterion.
type CodeQuote struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	Quote string `json:"quote"`
	Note  string `json:"note"`
}

// Searched is a place that was searched.
type Searched struct {
	Path  string `json:"path"`
	Query string `json:"query"`
	Note  string `json:"note"`
}

// Judgements returns the answer to a prompt about criteria.
func Judgements(list []Judgement) map[string]any { return answer("verdicts", list) }

// FirstLine returns the first line of a text.
func FirstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}
