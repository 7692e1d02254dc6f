package report

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
)

const (
	frameMargin  = 2 // lines shown before and after a finding
	defaultWidth = 100
)

// style wraps text in an SGR sequence (ECMA-48, 8.3.117).
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	blue   style = "34"
	cyan   style = "36"
)

type terminal struct {
	w     *strings.Builder
	color bool
	width int
}

func (t *terminal) paint(text string, styles ...style) string {
	if !t.color || text == "" {
		return text
	}
	codes := make([]string, len(styles))
	for i, s := range styles {
		codes[i] = string(s)
	}
	return "\x1b[" + strings.Join(codes, ";") + "m" + text + "\x1b[0m"
}

// writeTerminal writes a report for a person at a terminal. Control characters of code and findings never reach
// the terminal as such.
func writeTerminal(w io.Writer, r Report, o Options) error {
	r = r.Quoted()
	t := &terminal{w: &strings.Builder{}, color: o.Color, width: o.Width}
	if t.width <= 20 {
		t.width = defaultWidth
	}
	for _, f := range r.shown(o.All) {
		t.finding(f, r)
	}
	t.criteria(r)
	t.summary(r, o.All)
	_, err := io.WriteString(w, t.w.String())
	return err
}

func severityStyle(s domain.Severity) []style {
	switch s {
	case domain.Critical, domain.High:
		return []style{bold, red}
	case domain.Medium:
		return []style{bold, yellow}
	case domain.Low:
		return []style{blue}
	}
	return []style{dim}
}

func (t *terminal) finding(f domain.Finding, r Report) {
	tags := []string{string(f.Category), f.RuleID}
	if !f.Origin.Deterministic() {
		tags = append(tags, fmt.Sprintf("confidence %.2f", f.Confidence), string(f.Verdict))
	}
	fmt.Fprintf(t.w, "%s  %s\n", t.paint(f.Severity.String(), severityStyle(f.Severity)...), t.paint(plain(f.Title), bold))
	fmt.Fprintf(t.w, "  %s  %s\n", t.paint(location(f.Anchor), cyan), t.paint(strings.Join(tags, " · "), dim))
	t.frame(f, r)
	t.paragraph(meantSo(f), "  ")
	t.paragraph(f.Explanation, "  ")
	if strings.Contains(f.Trigger, "\n") {
		t.w.WriteString("  When:\n")
		for l := range strings.Lines(f.Trigger) {
			fmt.Fprintf(t.w, "    %s\n", code(l))
		}
	} else if f.Trigger != "" {
		t.paragraph("When: "+f.Trigger, "  ")
	}
	if places := alsoAt(f); len(places) > 0 {
		t.paragraph("Also at "+strings.Join(places, ", "), "  ")
	}
	if e, is := f.Guideline(); is {
		t.paragraph(citeSentence(e), "  ")
	}
	for _, e := range f.Proofs() {
		note := plain(evidenceNote(e))
		if e.Path != "" {
			note = strings.TrimRight(fmt.Sprintf("%s  %s", location(domain.Anchor{Path: e.Path, StartLine: e.Start}), note), " ")
		}
		if note != "" {
			t.paragraph("- "+note, "  ")
		}
	}
	if s := f.Suggestion; s != nil && s.Applies && s.Parses != "no" {
		fmt.Fprintf(t.w, "  %s\n", t.paint("Suggestion:", dim))
		for l := range strings.Lines(strings.TrimSuffix(s.Old, "\n")) {
			fmt.Fprintf(t.w, "    %s\n", t.paint("- "+code(l), red))
		}
		if s.New != "" {
			for l := range strings.Lines(strings.TrimSuffix(s.New, "\n")) {
				fmt.Fprintf(t.w, "    %s\n", t.paint("+ "+code(l), green))
			}
		}
	}
	t.w.WriteByte('\n')
}

// frame shows the code of a finding with numbers. A bar marks its lines, and a caret the text of a finding
// on one line.
func (t *terminal) frame(f domain.Finding, r Report) {
	a := f.Anchor
	lines := r.Frames[a.Path]
	if a.Side == domain.Left {
		lines = r.OldFrames[a.Path]
	}
	if a.StartLine <= 0 || a.StartLine > len(lines) {
		return
	}
	last := min(a.EndLine+frameMargin, len(lines))
	digits := len(fmt.Sprint(last))
	for n := max(a.StartLine-frameMargin, 1); n <= last; n++ {
		text := code(lines[n-1])
		hit := n >= a.StartLine && n <= a.EndLine
		mark := " "
		if hit {
			mark = t.paint(">", severityStyle(f.Severity)...)
		}
		fmt.Fprintf(t.w, "  %s %s %s\n", mark, t.paint(fmt.Sprintf("%*d |", digits, n), dim), clipLine(text, t.width-digits-8))
		if hit && a.StartLine == a.EndLine {
			body := strings.TrimSpace(text)
			if body == "" {
				continue
			}
			lead := len(text) - len(strings.TrimLeft(text, " "))
			width := min(utf8.RuneCountInString(body), max(t.width-digits-8-lead, 1))
			fmt.Fprintf(t.w, "    %s %s%s\n", t.paint(fmt.Sprintf("%*s |", digits, ""), dim), strings.Repeat(" ", lead),
				t.paint(strings.Repeat("^", width), severityStyle(f.Severity)...))
		}
	}
}

// paragraph writes text wrapped to the width.
func (t *terminal) paragraph(s, indent string) {
	for line := range strings.Lines(s) {
		col, first := 0, true
		for w := range strings.FieldsSeq(plain(line)) {
			n := utf8.RuneCountInString(w)
			switch {
			case first:
				t.w.WriteString(indent + w)
				col, first = len(indent)+n, false
			case col+1+n > t.width:
				t.w.WriteString("\n" + indent + w)
				col = len(indent) + n
			default:
				t.w.WriteString(" " + w)
				col += 1 + n
			}
		}
		if !first {
			t.w.WriteByte('\n')
		}
	}
}

func (t *terminal) summary(r Report, all bool) {
	if r.Failure != "" {
		fmt.Fprintln(t.w, plain(r.incomplete()))
		return
	}
	shown := r.shown(all)
	if n := r.emptyNote(); n != "" {
		fmt.Fprintln(t.w, plain(n))
		t.notices(r)
		return
	}
	verdict := t.paint(r.clean(), bold, green)
	if len(shown) > 0 {
		verdict = t.paint(count(len(shown), "finding"), bold, yellow) + " (" + bySeverity(shown) + ")"
	} else if r.incomplete() != "" {
		verdict = t.paint(r.clean(), bold, yellow)
	}
	fmt.Fprintf(t.w, "Reviewed %s against %s in %s: %s.\nFiles: %s.\n", r.head(), r.Base, r.Duration.Round(10*time.Millisecond),
		verdict, r.Files())
	t.paragraph(r.synopsis(), "")
	for _, n := range r.States() {
		fmt.Fprintln(t.w, t.paint(plain(n), yellow))
	}
	t.notices(r)
	for _, g := range r.groups() {
		fmt.Fprintln(t.w, t.paint(g.String(), dim))
	}
}

func (t *terminal) notices(r Report) {
	for _, n := range r.notices() {
		fmt.Fprintln(t.w, t.paint(plain(n), yellow))
	}
}

// maxNamed bounds the unreviewed files that a list in a report for people names.
const maxNamed = 10

func bySeverity(findings []domain.Finding) string {
	var parts []string
	for s := domain.Critical; ; s-- {
		n := 0
		for _, f := range findings {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
		if s == domain.Info {
			return strings.Join(parts, ", ")
		}
	}
}

// plain makes text safe for a terminal.
func plain(s string) string {
	return strings.ReplaceAll(change.StripInvisible(strings.TrimRight(s, "\n")), "\t", " ")
}

// code makes a line of code safe for a terminal: hidden characters become visible and tabs become spaces.
func code(s string) string {
	return strings.ReplaceAll(change.ShowInvisible(strings.TrimRight(s, "\r\n")), "\t", "    ")
}

func clipLine(s string, n int) string {
	if n < 10 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
