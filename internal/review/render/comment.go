package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
)

// maxEvidence is how many quotations a comment shows.
const maxEvidence = 5

func (r *renderer) comments() []Comment {
	out := make([]Comment, 0, len(r.inline))
	for _, f := range r.inline {
		c := Comment{Path: f.Anchor.Path, Side: f.Anchor.Side, Line: f.Anchor.EndLine, FindingID: f.ID, Fingerprint: f.Fingerprints.Exact}
		start := f.Anchor.StartLine
		s := r.suggestion(f)
		if s != nil {
			start, c.Line = s.Start, s.End
		}
		if start > 0 && start < c.Line {
			c.StartLine = start
		}
		if c.Side == "" {
			c.Side = domain.Right
		}
		marker := ""
		if r.MarkerFor != nil {
			marker = r.MarkerFor(f.Fingerprints.Exact)
		}
		limit := r.MaxBody - utf8.RuneCountInString(marker) - 2
		body := r.comment(f, s, true)
		if utf8.RuneCountInString(body) > limit {
			body = r.comment(f, s, false)
		}
		if utf8.RuneCountInString(body) > limit { // a huge suggestion: say it without
			body = r.comment(f, nil, false)
		}
		c.Body = r.finish(body, limit)
		if marker != "" {
			c.Body += "\n\n" + marker
		}
		out = append(out, c)
	}
	return out
}

// comment writes one inline comment.
func (r *renderer) comment(f domain.Finding, s *domain.Suggestion, evidence bool) string {
	var parts []string
	head := fmt.Sprintf("**%s · %s**", title(f.Severity.String()), categoryName(f.Category))
	if f.Scope == "pre_existing" {
		head += " · existed before this change"
	}
	parts = append(parts, head+"\n**"+Line(r.raw(f.Title), maxTitle)+"**")
	if f.Earlier != nil {
		parts = append(parts, cameBack(f.Earlier))
	}
	if t := Text(r.raw(f.Explanation), maxExplanation); t != "" {
		parts = append(parts, t)
	}
	if t := Line(r.raw(f.Trigger), maxTrigger); t != "" {
		parts = append(parts, "**When:** "+t)
	}
	if s != nil {
		parts = append(parts, fenced(strings.TrimSuffix(s.New, "\n"), "suggestion"))
	} else if p := r.proseFix(f); p != "" {
		parts = append(parts, p)
	}
	if evidence {
		if e := r.evidence(f); e != "" {
			parts = append(parts, e)
		}
	}
	return strings.Join(append(parts, r.footer(f)), "\n\n")
}

// suggestion returns the finding's suggestion if the host can apply it to the
// comment's lines: it applied in memory, parses as far as is known, lies within
// the anchor and holds no secret.
func (r *renderer) suggestion(f domain.Finding) *domain.Suggestion {
	s := f.Suggestion
	if s == nil || !s.Applies || s.Parses == "no" || r.Policy.Fixes == "off" || f.Anchor.Side == domain.Left {
		return nil
	}
	if s.Path != f.Anchor.Path || s.Start < f.Anchor.StartLine || s.End > f.Anchor.EndLine || s.Start > s.End {
		return nil
	}
	if r.Redact(s.New) != s.New || clean(s.New) != strings.ReplaceAll(s.New, "\r\n", "\n") {
		return nil
	}
	return s
}

// proseFix shows a change that the host cannot apply as code.
func (r *renderer) proseFix(f domain.Finding) string {
	if f.Suggestion == nil || r.Policy.Fixes == "off" || f.Suggestion.Parses == "no" || strings.TrimSpace(f.Suggestion.New) == "" {
		return ""
	}
	return "A possible change (apply by hand):\n\n" + Code(r.raw(f.Suggestion.New), "")
}

// evidence writes the quotations that support a finding, folded.
func (r *renderer) evidence(f domain.Finding) string {
	var items []string
	for i, e := range f.Evidence {
		if i == maxEvidence {
			items = append(items, fmt.Sprintf("- and %d more", len(f.Evidence)-i))
			break
		}
		item := "- "
		if e.Path != "" {
			item += r.place(e.Path, e.Start, e.End)
		}
		if note := Line(r.raw(e.Note), maxNote); note != "" {
			item += strings.TrimPrefix(": "+note, map[bool]string{true: ": "}[e.Path == ""])
		}
		if q := strings.TrimSpace(e.Quote); q != "" {
			item += "\n\n" + indent(Code(r.raw(e.Quote), ""), "  ")
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return ""
	}
	return "<details><summary>Why</summary>\n\n" + strings.Join(items, "\n") + "\n\n</details>"
}

func (r *renderer) footer(f domain.Finding) string {
	parts := []string{Span(f.RuleID)}
	if !f.Origin.Deterministic() {
		parts = append(parts, fmt.Sprintf("confidence %.2f", f.Confidence))
	}
	if r.DetailsURL != "" {
		parts = append(parts, "[details]("+r.DetailsURL+")")
	}
	return "<sub>" + strings.Join(parts, " · ") + "</sub>"
}

// place names lines of a file, as a link where the host's form is known.
func (r *renderer) place(path string, start, end int) string {
	name := path
	switch {
	case start > 0 && end > start:
		name = fmt.Sprintf("%s:%d-%d", path, start, end)
	case start > 0:
		name = fmt.Sprintf("%s:%d", path, start)
	}
	name = Span(r.raw(name))
	if r.LinkFor == nil {
		return name
	}
	url := r.LinkFor(path, start, end)
	if !Linkable(url) {
		return name
	}
	return "[" + name + "](" + url + ")"
}

// Linkable reports whether a URL can stand as the target of a link in Markdown.
func Linkable(url string) bool {
	return (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) && !strings.ContainsAny(url, " ()<>\"'`\n\r\t\\")
}

// cameBack says that a finding was resolved before, with a link to the comment
// that said it first.
func cameBack(e *domain.Earlier) string {
	if !Linkable(e.URL) {
		return "Reported before and resolved; it is back."
	}
	return "Reported before and resolved; it is back ([earlier comment](" + e.URL + "))."
}

func indent(s, by string) string { return by + strings.ReplaceAll(s, "\n", "\n"+by) }

func title(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func categoryName(c domain.Category) string {
	switch c {
	case domain.CategoryStaticAnalysis:
		return "static analysis"
	case domain.CategoryAPI:
		return "API"
	}
	return Line(string(c), 40)
}

// fit cuts a text to at most limit characters at the end of a line, and closes
// what that leaves open.
func fit(s string, limit int) string {
	if limit <= 0 || utf8.RuneCountInString(s) <= limit {
		return s
	}
	const note = "\n\n(cut here: too long for this place)"
	head := string([]rune(s)[:max(limit-len(note)-24, 0)])
	if at := strings.LastIndexByte(head, '\n'); at > 0 {
		head = head[:at]
	}
	if f := openFence(head); f != "" {
		head += "\n" + f
	}
	if strings.Count(head, "<details>") > strings.Count(head, "</details>") {
		head += "\n\n</details>"
	}
	return head + note
}

// openFence returns the fence that is still open at the end of a text, "" if none is.
func openFence(s string) string {
	open := ""
	for l := range strings.SplitSeq(s, "\n") {
		t := strings.TrimSpace(l)
		run := len(t) - len(strings.TrimLeft(t, "`"))
		switch {
		case open == "" && run >= 3 && !strings.Contains(t[run:], "`"):
			open = t[:run]
		case open != "" && run >= len(open) && t[run:] == "":
			open = ""
		}
	}
	return open
}
