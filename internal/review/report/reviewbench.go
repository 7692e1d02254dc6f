package report

import (
	"encoding/json"
	"io"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Bench is the pull request that ReviewBench wants reviewed (review-bench/ReviewBench, AGENT_CONTRACT.md,
// "What you must write").
type Bench struct {
	Repo   string `json:"repo"` // https://github.com/owner/repo
	Number int    `json:"pr_number"`
	Base   string `json:"base"`
	Head   string `json:"head"`
}

type benchFinding struct {
	File      string `json:"file"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Message   string `json:"message"`
	Producer  string `json:"producer"`
}

// ReviewBench writes the findings that a person would see in the form of ReviewBench's contract. Lines are
// those of the head: a finding on removed lines gets the line after them, and one about a whole file the
// first line. Findings without a file are left out. set is the change; nil if it is not known.
func ReviewBench(w io.Writer, r Report, pr Bench, agent string, set *diff.Set) error {
	findings := []benchFinding{}
	for _, f := range r.shown(false) {
		if f.Anchor.Path == "" {
			continue
		}
		first, last := f.Anchor.StartLine, f.Anchor.EndLine
		if f.Anchor.Side == domain.Left && first > 0 {
			first = lineAfter(set, f.Anchor)
			last = first
		}
		first = max(first, 1)
		message := f.Title + ". " + f.Explanation
		if f.Trigger != "" {
			message += " " + f.Trigger
		}
		findings = append(findings, benchFinding{diff.QuotePath(f.Anchor.Path), first, max(first, last), message, agent})
	}
	return json.NewEncoder(w).Encode(struct {
		PR       Bench          `json:"pr"`
		Agent    string         `json:"agent"`
		Findings []benchFinding `json:"findings"`
	}{pr, agent, findings})
}

// lineAfter returns the line of the head after removed lines, 1 if the change does not show it.
func lineAfter(set *diff.Set, a domain.Anchor) int {
	if set == nil {
		return 1
	}
	f := set.File(a.Path)
	if f == nil {
		return 1
	}
	for _, h := range f.Hunks {
		if lo, hi, ok := h.Range(domain.Left); !ok || a.EndLine < lo || a.StartLine > hi {
			continue
		}
		line := max(h.NewStart, 1)
		for _, l := range h.Lines {
			if l.Op == diff.Delete && l.Old > a.EndLine {
				break
			}
			if l.New > 0 {
				line = l.New
				if l.Op == diff.Context && l.Old > a.EndLine {
					return line
				}
			}
		}
		return line
	}
	return 1
}
