// Package wording has the words of everything that is published in the service's
// name around the words of a model, in the languages that there are: English,
// German, French, Spanish, Portuguese, Japanese and Chinese.
//
// A text is a [Key] with what stands in its places. What the service stores it
// stores in English, made by [English]; [Words.Told] finds the text and what
// stands in it again, and says it in another language.
//
// What is said, and when, is decided elsewhere; so is how words of strangers are
// made harmless (package markdown).
package wording

import (
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// table has the texts of one language.
type table [keys]markdown.Phrase

// tables are the languages, by the language of their tags.
var tables = map[string]*table{
	"en": &english, "de": &german, "fr": &french, "es": &spanish, "pt": &portuguese, "ja": &japanese, "zh": &chinese,
}

// Words says texts in one language. It is safe for concurrent use.
type Words struct {
	tag     language.Tag
	table   *table
	printer *message.Printer
	ends    string // what ends the first sentence of a text, where only that is said
}

// In returns the words for a tag of BCP 47: those of its language, whatever region
// or script it names, and English where there are none. Chinese is written in
// simplified characters.
func In(tag string) Words {
	t, err := language.Parse(tag)
	base, _ := t.Base()
	texts, known := tables[base.String()]
	if err != nil || !known {
		t, texts = language.English, &english
	}
	return Words{tag: t, table: texts, printer: message.NewPrinter(t)}
}

// English reports whether these are the words in which things are stored.
func (w Words) English() bool { return w.table == &english }

// Brief are words that say no more of each text than its first sentence.
func (w Words) Brief() Words {
	w.ends = string(w.table[TitleEnd].Other)
	return w
}

// Say returns a text with what stands in its places.
func (w Words) Say(k Key, args ...markdown.Text) markdown.Text {
	return w.fill(w.table[k], false, args)
}

// Count returns a text in the form that belongs to n, which stands in its first
// place; the others follow.
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

// single reports whether the language takes the form of a single thing for n: so
// does French for 0.
func (w Words) single(n int) bool {
	const mod = 10_000_000 // as MatchPlural has it
	return plural.Cardinal.MatchPlural(w.tag, n%mod, 0, 0, 0, 0) == plural.One
}

// Number writes a number with the separators of the language.
func (w Words) Number(n int) markdown.Text {
	return markdown.Amount(w.printer.Sprint(number.Decimal(n)))
}

// Share writes a number between 0 and 1 with two digits behind the point.
func (w Words) Share(f float64) markdown.Text {
	return markdown.Amount(w.printer.Sprint(number.Decimal(f, number.Scale(2))))
}

// List puts the parts of an enumeration behind each other.
func (w Words) List(parts ...markdown.Text) markdown.Text {
	between := w.table[Between].Other
	return markdown.Join(between, parts...)
}

// Paragraph puts sentences behind each other.
func (w Words) Paragraph(sentences ...markdown.Text) markdown.Text {
	between := w.table[Sentences].Other
	return markdown.Join(between, sentences...)
}

// Labelled puts a text behind its label, either alone where the other is empty.
func (w Words) Labelled(label, text markdown.Text) markdown.Text {
	if label.Empty() || text.Empty() {
		return markdown.Join("", label, text)
	}
	return w.Say(Labelled, label, text)
}

// Reader has the words that the sanitiser needs.
func (w Words) Reader() markdown.Reader {
	return markdown.Reader{LinkRemoved: w.Say(LinkRemoved)}
}

var (
	severities = map[domain.Severity]Key{domain.Critical: Critical, domain.High: High, domain.Medium: Medium, domain.Low: Low, domain.Info: Info}
	counts     = map[domain.Severity]Key{domain.Critical: CriticalCount, domain.High: HighCount, domain.Medium: MediumCount, domain.Low: LowCount, domain.Info: InfoCount}
	categories = map[domain.Category]Key{domain.CategoryBug: Bug, domain.CategorySecurity: Security, domain.CategoryPerformance: Performance,
		domain.CategoryConcurrency: Concurrency, domain.CategoryAPI: API, domain.CategoryTest: Test, domain.CategoryMaintainability: Maintainability,
		domain.CategoryDocs: Docs, domain.CategoryRule: Rule, domain.CategorySecret: Secret, domain.CategoryStaticAnalysis: StaticAnalysis}
)

// Severity is the name of a severity, as a heading has it.
func (w Words) Severity(s domain.Severity) markdown.Text { return w.Say(severities[s]) }

// OfSeverity says how many findings have a severity.
func (w Words) OfSeverity(s domain.Severity, n int) markdown.Text { return w.Count(counts[s], n) }

// maxCategory bounds the name of a category that is not known, in characters.
const maxCategory = 40

// Category is the name of a category; one that is not known is shown as it is.
func (w Words) Category(c domain.Category) markdown.Text {
	if k, known := categories[c]; known {
		return w.Say(k)
	}
	return markdown.Line(string(c), maxCategory)
}

// digits reads a number of a stored text; false for anything else.
func digits(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}
