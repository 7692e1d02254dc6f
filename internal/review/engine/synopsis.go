package engine

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxSynopsis is the most characters of a synopsis. A longer one is dropped, because its first part may say something else.
const maxSynopsis = 200

// markSynopsis lets the first pass write the synopsis if it is a general one, which may see the author's words. Another pass
// would not know the whole change better, and the first is the last one to be left out.
func (w *work) markSynopsis(passes []pass) {
	if _, known := scriptsOf(w.in.Policy.Language); known && len(passes) > 0 && passes[0].Lens == finding.LensGeneral && !passes[0].OfPanel() {
		passes[0].describes = true
	}
}

// readSynopsis returns the synopsis in an answer of a pass, "" if it is absent or cannot be shown. The model is never asked
// for another one.
func (w *work) readSynopsis(ans ask.Answer) string {
	type answer struct {
		Synopsis string `json:"synopsis"`
	}
	got, err := ask.ReadObject[answer](ans, "findings")
	if err != nil || w.Servers.Repeated(got.Synopsis) { // another model's tools may have told it what readers must not see
		return ""
	}
	return w.showableSynopsis(got.Synopsis)
}

// synopsis returns the synopsis for the result. If no line was due for a model, that of the last review still holds. It returns ""
// for a review in which no model took part.
func (w *work) synopsis() string {
	switch state := w.result.ModelState; {
	case state != ModelComplete && state != ModelPartial:
		return ""
	case len(w.plan.model) == 0 && len(w.plan.unchanged) > 0:
		return w.showableSynopsis(w.in.Synopsis)
	}
	return w.gen.synopsis
}

// showableSynopsis returns a model's sentence without secrets, or "" if readers must not see it. The title, description and code
// of the change have had a say in it, so it must be one short sentence in the letters of the language, without links, mentions,
// hidden characters and judgements.
func (w *work) showableSynopsis(text string) string {
	if len(text) > maxSynopsis*utf8.UTFMax || !utf8.ValidString(text) {
		return ""
	}
	text = w.redact(strings.TrimSpace(text))
	if utf8.RuneCountInString(text) > maxSynopsis || !isOneSentence(text) || hasAddress(text) || hasMention(text) ||
		judges(text) || !isWrittenIn(w.in.Policy.Language, text) {
		return ""
	}
	return change.OneLine(text)
}

// isOneSentence reports whether a text is a line in which no sentence ends before the end of the text. A full stop within a
// word or number ends none.
func isOneSentence(text string) bool {
	if strings.ContainsAny(text, "\n\r\u0085") {
		return false
	}
	body := strings.TrimRight(text, ".!?…。！？\"'”’»)）」 ")
	for i, r := range body {
		switch {
		case strings.ContainsRune("。！？", r):
			return false
		case strings.ContainsRune(".!?…", r):
			rest := strings.TrimLeft(body[i+utf8.RuneLen(r):], ".!?…\"'”’»)")
			if next, _ := utf8.DecodeRuneInString(rest); unicode.IsSpace(next) {
				return false
			}
		}
	}
	return strings.ContainsFunc(body, unicode.IsLetter)
}

// hasMention reports whether a text has a mention or an address of mail.
func hasMention(text string) bool {
	for _, name := range strings.Split(text, "@")[1:] {
		if next, _ := utf8.DecodeRuneInString(name); unicode.IsLetter(next) || unicode.IsDigit(next) {
			return true
		}
	}
	return false
}

// scripts has the languages whose words of praise we know. Each is written in Latin letters, or in its scripts and with names in
// Latin letters.
var scripts = map[string][]*unicode.RangeTable{"en": nil, "de": nil, "fr": nil, "es": nil, "pt": nil,
	"ja": {unicode.Han, unicode.Hiragana, unicode.Katakana}, "zh": {unicode.Han}}

// scriptsOf returns the scripts of the language of a tag, which is English for "", and whether the language has a synopsis.
func scriptsOf(tag string) (script []*unicode.RangeTable, known bool) {
	base, _, _ := strings.Cut(strings.ToLower(cmp.Or(tag, "en")), "-")
	script, known = scripts[base]
	return script, known
}

// lastLatin is the last letter that the languages in Latin letters need. Full-width and ornamental letters behind it look like
// words and are not read as such.
const lastLatin = 'ɏ'

// isWrittenIn reports whether a text has only letters of a language, and none that is invisible, changes the direction of the
// text or is a picture. It tells scripts apart, not languages of one script.
func isWrittenIn(language, text string) bool {
	script, known := scriptsOf(language)
	found := len(script) == 0 && known
	for _, r := range text {
		switch {
		case len(script) > 0 && (unicode.In(r, script...) || r == 'ー'):
			found = true
		case unicode.IsLetter(r) && r > lastLatin:
			return false
		case unicode.In(r, unicode.C, unicode.M, unicode.So, unicode.Zl, unicode.Zp):
			return false
		}
	}
	return found
}

// judges reports whether a text has a word of praise or approval, in any of our languages, denies defects, or speaks to the reader.
func judges(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	line := " " + strings.Join(words, " ") + " "
	for _, j := range judgements {
		if strings.Contains(line, " "+j+" ") {
			return true
		}
	}
	for i, word := range words {
		if slices.Contains(negations, word) && slices.ContainsFunc(words[i+1:min(i+4, len(words))], func(w string) bool {
			return slices.Contains(defects, w)
		}) {
			return true
		}
	}
	together := strings.Join(words, "")
	return slices.ContainsFunc(unspacedJudgements, func(j string) bool { return strings.Contains(together, j) })
}
