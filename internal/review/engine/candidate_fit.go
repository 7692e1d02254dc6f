package engine

import (
	"context"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// otherNames are names that models give the members of a finding where their server
// does not enforce the schema.
var otherNames = map[string][]string{
	"path":        {"file", "filename", "file_path", "filepath", "location"},
	"start":       {"start_line", "startline", "line_start", "line", "line_number", "lineno", "lines", "line_range", "range"},
	"end":         {"end_line", "endline", "line_end"},
	"quote":       {"code", "snippet", "code_snippet", "existing_code"},
	"rule_key":    {"rule", "rule_id", "rulekey"},
	"category":    {"type", "kind"},
	"severity":    {"level", "priority", "impact"},
	"title":       {"summary", "name", "headline"},
	"explanation": {"description", "message", "details", "detail", "body", "reason"},
	"fix":         {"suggestion", "suggested_fix", "suggested_change"},
	"self_doubt":  {"selfdoubt", "doubt"},
}

// doubtWords are words for how unsure a model is.
var doubtWords = map[string]string{"low": "0.2", "medium": "0.5", "high": "0.8", "sure": "0", "guess": "1"}

var allDigits = regexp.MustCompile(`\d+`)

// Tidy implements [jsonrepair.Tidier]: it gives members their names, and a range of lines
// its two ends.
func (c *candidate) Tidy(v *jsonrepair.Value) {
	if where := v.Get("location"); where != nil && where.Kind == jsonrepair.Object {
		for i, k := range where.Keys {
			if v.Get(k) == nil {
				v.Set(k, where.Items[i])
			}
		}
	}
	for name, others := range otherNames {
		for _, other := range others {
			m := v.Get(other)
			if m == nil || m.Kind == jsonrepair.Null || v.Get(name) != nil || name == "path" && m.Kind != jsonrepair.String {
				continue
			}
			v.Set(name, m)
			break
		}
	}
	tidyLines(v)
	c.guessed = guessed(v)
	if d := v.Get("self_doubt"); d != nil && d.Kind == jsonrepair.String {
		if n, ok := doubtWords[strings.ToLower(strings.TrimSpace(d.Text))]; ok {
			d.Kind, d.Text = jsonrepair.Number, n
		}
	}
}

// Tidy implements [jsonrepair.Tidier].
func (c *citation) Tidy(v *jsonrepair.Value) {
	for _, name := range []string{"path", "start", "end", "quote"} {
		for _, other := range otherNames[name] {
			if m := v.Get(other); m != nil && v.Get(name) == nil && m.Kind != jsonrepair.Object {
				v.Set(name, m)
			}
		}
	}
	tidyLines(v)
	c.guessed = guessed(v)
}

// Tidy implements [jsonrepair.Tidier].
func (p *furtherPlace) Tidy(v *jsonrepair.Value) {
	for _, name := range otherNames["path"] {
		if m := v.Get(name); m != nil && m.Kind == jsonrepair.String && v.Get("path") == nil {
			v.Set("path", m)
		}
	}
	for _, name := range append([]string{"start"}, otherNames["start"]...) {
		if m := v.Get(name); m != nil && v.Get("line") == nil {
			v.Set("line", m)
		}
	}
	if m := v.Get("line"); m != nil && m.Kind != jsonrepair.Number {
		first := allDigits.FindString(m.Text + " " + strings.Join(textsOf(m.Items), " "))
		*m = jsonrepair.Value{Kind: jsonrepair.Null}
		if first != "" {
			*m = jsonrepair.Value{Kind: jsonrepair.Number, Text: first, Whole: true}
		}
	}
}

// guessed reports whether the decoder had to guess a quotation.
func guessed(v *jsonrepair.Value) bool {
	q := v.Get("quote")
	return q != nil && q.Guessed
}

// tidyLines makes two lines of one range.
func tidyLines(v *jsonrepair.Value) {
	for _, name := range []string{"start", "end"} {
		m := v.Get(name)
		if m == nil {
			continue
		}
		text := m.Text + " " + strings.Join(textsOf(m.Items), " ")
		if m.Kind == jsonrepair.Number {
			continue
		}
		n := allDigits.FindAllString(text, 2)
		if len(n) == 0 || m.Kind == jsonrepair.Bool {
			m.Kind, m.Items, m.Keys = jsonrepair.Null, nil, nil
			continue
		}
		first, last := n[0], n[len(n)-1]
		if name == "end" {
			first = last
		}
		*m = jsonrepair.Value{Kind: jsonrepair.Number, Text: first, Whole: true}
		if e := v.Get("end"); name == "start" && len(n) == 2 && (e == nil || e.Kind == jsonrepair.Null) {
			v.Set("end", &jsonrepair.Value{Kind: jsonrepair.Number, Text: last, Whole: true})
		}
	}
}

// textsOf returns the texts of values.
func textsOf(list []*jsonrepair.Value) (out []string) {
	for _, v := range list {
		out = append(out, v.Text)
	}
	return out
}

// ReadText implements [jsonrepair.TextReader]: a string in place of the object is the new code.
func (f *fix) ReadText(s string) { f.New = s }

// ReadText implements [jsonrepair.TextReader]: a string in place of the object is a path with a line behind it.
func (p *furtherPlace) ReadText(s string) { p.Path = s }

// ReadText implements [jsonrepair.TextReader]: a string in place of the object names the behaviour.
func (b *basis) ReadText(s string) { b.What = s }

// ReadText implements [jsonrepair.TextReader]: a string in place of the object is a quotation or a
// remark.
func (c *citation) ReadText(s string) { c.Quote = s }

// fit reads severity, side and path of a candidate leniently and gives them the form of
// the schema. It returns why the candidate still does not fit, in words for the model that
// wrote it; "" if it fits.
func (c *candidate) fit(ctx context.Context, set *diff.Set, src change.Source) string {
	severity, ok := readSeverity(c.Severity)
	switch {
	case strings.TrimSpace(c.Title) == "":
		return "title is empty"
	case strings.TrimSpace(c.Explanation) == "":
		return "explanation is empty"
	case !ok:
		return "severity must be one of info, low, medium, high, critical"
	case strings.TrimSpace(c.Path) == "":
		return "path is empty"
	}
	where, found, elsewhere := resolvePath(ctx, c.Path, set, src)
	if !found && !elsewhere {
		return "path must be one that stands after \"===\""
	}
	if elsewhere { // about that file only if the quotation stands there
		said := []domain.Evidence{{Kind: "code", Path: where.path, Quote: change.UnwrapQuote(c.Quote)}}
		if ok, err := anchor.Evidence(ctx, said, set, src); err == nil && !ok {
			return "path must be one that stands after \"===\"; the quote does not stand in the file that it names"
		}
	}
	c.Severity, c.Path, c.Side = severity.String(), where.path, readSide(c.Side)
	if c.Start <= 0 && where.first > 0 {
		c.Start, c.End = where.first, max(where.last, where.first)
	}
	if strings.TrimSpace(c.Quote) == "" && c.Start > 0 && found {
		return "quote is empty"
	}
	for i := range c.Evidence {
		e := &c.Evidence[i]
		if where, found, elsewhere := resolvePath(ctx, e.Path, set, src); found || elsewhere {
			if e.Path = where.path; e.Start <= 0 {
				e.Start, e.End = where.first, where.last
			}
		}
	}
	return ""
}

// misquotes returns why the quotation of a candidate that fits is lost: it is not code of the file, although
// the change has the line, or the candidate names no line. It returns "" if the quotation stands there, if the
// change does not have the line, and for an invention: the form of an answer did not change a quotation if the
// file has fewer than half of its words.
func (c *candidate) misquotes(ctx context.Context, set *diff.Set, src change.Source) string {
	f := set.File(c.Path)
	if f == nil {
		return ""
	}
	_, shown := f.Commentable(domain.Side(c.Side), c.Start)
	if _, res, err := c.place(ctx, set, src); err != nil || res.Kind != anchor.Dropped {
		return ""
	}
	if !c.guessed && (!shown && c.Start > 0 || !c.resembles(ctx, src)) {
		return ""
	}
	return "quote is not code of the file; copy the lines from start to end exactly, without numbers, marks and ellipses, " +
		"and escape the marks and backslashes in them"
}

// fewWords is how many words of a quotation are too few to tell an invention from what an answer has mangled.
const fewWords = 3

// resembles reports whether the file has at least half of the words of a quotation, as far as that can be told.
func (c *candidate) resembles(ctx context.Context, src change.Source) bool {
	content, err := src.Blob(ctx, domain.Side(c.Side), c.Path)
	if err != nil {
		return true
	}
	words := codeWords(clip.Bytes(c.Quote, change.MaxProof))
	if len(words) <= fewWords {
		return true
	}
	in, there := codeWords(string(content)), 0
	for w := range words {
		if in[w] {
			there++
		}
	}
	return 2*there >= len(words)
}

// codeWords returns the words of a text that have three letters or more.
func codeWords(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) >= 3 {
			out[w] = true
		}
	}
	return out
}

// readSide reads the side of a diff. An unknown word is RIGHT.
func readSide(said string) string {
	switch strings.ToLower(strings.Trim(said, " `'\"-")) {
	case "left", "old", "base", "before", "removed", "deleted", "l":
		return string(domain.Left)
	}
	if strings.TrimSpace(said) == "-" {
		return string(domain.Left)
	}
	return string(domain.Right)
}

// place looks for the code that a candidate quotes: as it says it, else with the
// characters that its prompt showed as escapes, else with the backslashes that an answer
// lacks which did not escape them, or without those that it has too many of.
func (c *candidate) place(ctx context.Context, set *diff.Set, src change.Source) (a domain.Anchor, res anchor.Outcome, err error) {
	said := change.UnwrapQuote(clip.Bytes(c.Quote, change.MaxProof))
	tried := map[string]bool{}
	for _, quote := range []string{said, change.UnescapeInvisible(said), inCode.Replace(said), inLine.Replace(said),
		overEscaped.Replace(said)} {
		if tried[quote] {
			continue
		}
		tried[quote] = true
		a = domain.Anchor{Path: c.Path, Side: domain.Side(strings.ToUpper(c.Side)), StartLine: c.Start, EndLine: c.End, Quote: quote}
		res, err = anchor.Validate(ctx, &a, set, src)
		if err != nil || res.Kind != anchor.Dropped {
			break
		}
	}
	return a, res, err
}

// A reader of JSON makes something else of escapes in code that was not escaped: in all code
// characters that do not stand in it, and in a single line also the ends of lines.
var (
	inCode = strings.NewReplacer("\b", `\b`, "\f", `\f`, "\v", `\v`)
	inLine = strings.NewReplacer("\b", `\b`, "\f", `\f`, "\v", `\v`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

	// overEscaped takes off escapes that were written for white space which was escaped already.
	overEscaped = strings.NewReplacer(`\n`, "\n", "\\\t", "\t", "\\ ", " ")
)
