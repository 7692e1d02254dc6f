// Package wording has the texts that surround a model's text in publications, in English, German, French,
// Spanish, Portuguese, Japanese and Chinese.
//
// A text is a [Key] with arguments. The service stores texts in English, made by [English]. [Words.Translate]
// recovers the key and the arguments of a stored text and translates it.
//
// Other packages decide what to publish. Package markdown makes text from outside safe.
package wording

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// table has the texts of one language, or a part of them. For a language xx, the file xx_stored.go has the
// texts that [Words.Translate] translates, fixes.go, fix_ends.go and failed_jobs.go theirs in all languages, and
// xx.go has the other texts.
type table [keys]markdown.Phrase

// join returns the texts of all parts. It panics if two parts have a text for one key.
func join(parts ...*table) table {
	var all table
	for _, part := range parts {
		for k, p := range part {
			if p == (markdown.Phrase{}) {
				continue
			}
			if all[k] != (markdown.Phrase{}) {
				panic(fmt.Sprintf("wording: key %d has two texts: %q and %q", k, all[k].Other, p.Other))
			}
			all[k] = p
		}
	}
	return all
}

// tables are the texts by the base language of a tag.
var tables = map[string]*table{
	"en": &english, "de": &german, "fr": &french, "es": &spanish, "pt": &portuguese, "ja": &japanese, "zh": &chinese,
}

// Words returns texts in one language. It is safe for concurrent use.
type Words struct {
	tag     language.Tag
	table   *table
	printer *message.Printer
	ends    string // end of a text's first sentence, if only that is wanted; otherwise ""
}

// In returns the texts for a BCP 47 tag, by its language only, or English for an unknown language. Chinese
// is in simplified characters.
func In(tag string) Words {
	t, err := language.Parse(tag)
	base, _ := t.Base()
	texts, known := tables[base.String()]
	if err != nil || !known {
		t, texts = language.English, &english
	}
	return Words{tag: t, table: texts, printer: message.NewPrinter(t)}
}

// English reports whether the language is English, in which texts are stored.
func (w Words) English() bool { return w.table == &english }

// Brief returns Words that shorten each text to its first sentence.
func (w Words) Brief() Words {
	w.ends = string(w.table[TitleEnd].Other)
	return w
}

// Say returns a text with its arguments.
func (w Words) Say(k Key, args ...markdown.Text) markdown.Text {
	return w.fill(w.table[k], false, args)
}

// Count returns a text in the singular or plural form for n, which is its first argument.
func (w Words) Count(k Key, n int, args ...markdown.Text) markdown.Text {
	return w.fill(w.table[k], w.single(n), append([]markdown.Text{w.Number(n)}, args...))
}

func (w Words) fill(p markdown.Phrase, single bool, args []markdown.Text) markdown.Text {
	form := p.Other
	if single && p.One != "" {
		form = p.One
	}
	if at := strings.Index(string(form), w.ends); w.ends != "" && at >= 0 {
		form = form[:at+len(strings.TrimRight(w.ends, " "))]
	}
	return markdown.Fill(form, args...)
}

// single reports whether the language uses the singular for n. French does for 0.
func (w Words) single(n int) bool {
	const mod = 10_000_000 // the range of MatchPlural
	return plural.Cardinal.MatchPlural(w.tag, n%mod, 0, 0, 0, 0) == plural.One
}

// Number formats a number with the separators of the language.
func (w Words) Number(n int) markdown.Text {
	return markdown.Amount(w.printer.Sprint(number.Decimal(n)))
}

// Share formats a number between 0 and 1 with two decimals.
func (w Words) Share(f float64) markdown.Text {
	return markdown.Amount(w.printer.Sprint(number.Decimal(f, number.Scale(2))))
}

// List joins the parts of an enumeration.
func (w Words) List(parts ...markdown.Text) markdown.Text {
	between := w.table[Between].Other
	return markdown.Join(between, parts...)
}

// Paragraph joins sentences.
func (w Words) Paragraph(sentences ...markdown.Text) markdown.Text {
	between := w.table[Sentences].Other
	return markdown.Join(between, sentences...)
}

// Labelled puts a label before a text. If one of them is empty, it returns the other.
func (w Words) Labelled(label, text markdown.Text) markdown.Text {
	if label.Empty() || text.Empty() {
		return markdown.Join("", label, text)
	}
	return w.Say(Labelled, label, text)
}

// Reader returns the sanitiser's words in this language.
func (w Words) Reader() markdown.Reader {
	return markdown.Reader{LinkRemoved: w.Say(LinkRemoved)}
}

var (
	severities = map[domain.Severity]Key{domain.Critical: Critical, domain.High: High, domain.Medium: Medium, domain.Low: Low,
		domain.Info: Info}
	counts = map[domain.Severity]Key{domain.Critical: CriticalCount, domain.High: HighCount, domain.Medium: MediumCount,
		domain.Low: LowCount, domain.Info: InfoCount}
	categories = map[domain.Category]Key{domain.CategoryBug: Bug, domain.CategorySecurity: Security, domain.CategoryPerformance: Performance,
		domain.CategoryConcurrency: Concurrency, domain.CategoryAPI: API, domain.CategoryTest: Test,
		domain.CategoryMaintainability: Maintainability,
		domain.CategoryDocs:            Docs, domain.CategoryRule: Rule, domain.CategorySecret: Secret,
		domain.CategoryStaticAnalysis: StaticAnalysis}
)

// Severity returns the name of a severity, as in a heading.
func (w Words) Severity(s domain.Severity) markdown.Text { return w.Say(severities[s]) }

// OfSeverity returns the number of findings of a severity as text.
func (w Words) OfSeverity(s domain.Severity, n int) markdown.Text { return w.Count(counts[s], n) }

// maxCategory is the maximum length of the name of an unknown category, in characters.
const maxCategory = 40

// Category returns the name of a category. It returns an unknown category unchanged.
func (w Words) Category(c domain.Category) markdown.Text {
	if k, known := categories[c]; known {
		return w.Say(k)
	}
	return markdown.Line(string(c), maxCategory)
}

// digits parses a number of a stored text, and returns false for other text.
func digits(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}
