package score

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/markdown"
)

// width is the most characters of a terminal line.
const width = 100

// Text writes a report for the terminal: aligned tables in lines of at most 100 characters. It removes
// control characters from texts of cases and models.
func (r Report) Text(w io.Writer) error {
	return text(w, "Evaluation", r.heading(), r.tables())
}

// Text writes a comparison for the terminal, as [Report.Text] does.
func (c Comparison) Text(w io.Writer) error {
	return text(w, "Comparison", c.heading(), []table{c.table()})
}

// Markdown writes a report as GitHub-flavoured Markdown. It escapes texts of cases and models.
func (r Report) Markdown(w io.Writer) error {
	return inMarkdown(w, "Evaluation", r.heading(), r.tables())
}

// Markdown writes a comparison, as [Report.Markdown] does.
func (c Comparison) Markdown(w io.Writer) error {
	return inMarkdown(w, "Comparison", c.heading(), []table{c.table()})
}

func text(w io.Writer, title string, heading []string, list []table) error {
	var b strings.Builder
	b.WriteString(title + "\n")
	for _, l := range heading {
		wrap(&b, l)
	}
	for _, t := range list {
		if len(t.rows) == 0 {
			continue
		}
		b.WriteString("\n" + t.title + "\n")
		t.align(&b)
		for _, n := range t.notes {
			wrap(&b, n)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// align writes a table with spaces between its columns. It narrows the widest column until the table fits.
func (t table) align(b *strings.Builder) {
	rows := append([][]string{t.head}, t.rows...)
	wide := make([]int, len(t.head))
	for i, r := range rows {
		rows[i] = slices.Clone(r)
		for k := range rows[i] {
			rows[i][k] = harmless(rows[i][k])
			wide[k] = max(wide[k], utf8.RuneCountInString(rows[i][k]))
		}
	}
	for total(wide) > width {
		at := slices.Index(wide, slices.Max(wide))
		wide[at]--
	}
	for _, r := range rows {
		line := ""
		for k, c := range r {
			c = clip.Runes(c, wide[k], "…")
			line += "  " + c + strings.Repeat(" ", wide[k]-utf8.RuneCountInString(c))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// total returns the width of a line.
func total(wide []int) (n int) {
	for _, w := range wide {
		n += w + 2
	}
	return n
}

// wrap writes a paragraph in lines of at most width characters.
func wrap(b *strings.Builder, s string) {
	line := ""
	for _, word := range strings.Fields(harmless(s)) {
		word = clip.Runes(word, width-2, "…")
		if line != "" && utf8.RuneCountInString(line)+utf8.RuneCountInString(word)+3 > width {
			b.WriteString("  " + line + "\n")
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	b.WriteString("  " + line + "\n")
}

// harmless returns a text from outside as one line without characters that control a terminal.
func harmless(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)), " ")
}

// maxCell is the most characters of a cell in Markdown.
const maxCell = 200

func inMarkdown(w io.Writer, title string, heading []string, list []table) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", title)
	for _, l := range heading {
		fmt.Fprintf(&b, "- %s\n", markdown.Line(l, 4*maxCell))
	}
	for _, t := range list {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", t.title)
		for i, r := range append([][]string{t.head}, t.rows...) {
			for _, c := range r {
				fmt.Fprintf(&b, "| %s ", cell(c))
			}
			b.WriteString("|\n")
			if i == 0 {
				b.WriteString(strings.Repeat("|---", len(t.head)) + "|\n")
			}
		}
		for _, n := range t.notes {
			fmt.Fprintf(&b, "\n%s\n", markdown.Line(n, 4*maxCell))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// numbers are the characters of cells that contain only numbers and units, which have no meaning in
// Markdown.
const numbers = "0123456789.%/+- =ntoUSD"

// cell escapes a cell of a Markdown table, including bars.
func cell(s string) string {
	if strings.Trim(s, numbers) == "" {
		return s
	}
	return strings.ReplaceAll(markdown.Line(s, maxCell).String(), "|", `\|`)
}
