package engine

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxSynopsis limits the characters of a synopsis. A longer one is dropped, because its first part may mean something else.
const maxSynopsis = 200

// Synopsis is a sentence in which a model describes the whole change, with the version of the change.
type Synopsis struct {
	// Text is checked for its form alone. It is text from outside, without secrets. "" means that there is no synopsis.
	Text string `json:"synopsis,omitempty"`
	// Head is the commit that the sentence was written for, "" for the head of the review.
	Head     string `json:"synopsisHead,omitempty"`
	Language string `json:"synopsisLanguage,omitempty"` // of the policy
}

// markSynopsis lets the first pass write the synopsis if it is a general one, which may see the author's words. Another pass
// would not know the whole change better, and the first is the last one to be left out. No pass writes it if hunks are left out
// that earlier reviews looked at, because none then sees the whole change.
func (w *work) markSynopsis(passes []pass) {
	if _, known := scriptsOf(w.in.Policy.Language); known && w.plan.whole && len(passes) > 0 &&
		passes[0].Lens == finding.LensGeneral && !passes[0].OfPanel() {
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
	if err != nil || w.Servers.Repeated(got.Synopsis) { // readers must not see the answers of another model's tools
		return ""
	}
	return w.showableSynopsis(got.Synopsis)
}

// chooseSynopsis returns the synopsis for the result: the new one if the review covers the whole change, else that of the last
// review, which names its commit. It returns the zero value for another language, and if no model took part in the review.
func (w *work) chooseSynopsis() Synopsis {
	out := Synopsis{Text: w.gen.synopsis, Language: w.in.Policy.Language}
	if !w.plan.whole {
		if out = w.in.Synopsis; out.Language != w.in.Policy.Language {
			return Synopsis{}
		}
		out.Text = w.showableSynopsis(out.Text)
	}
	if state := w.result.ModelState; out.Text == "" || state != ModelComplete && state != ModelPartial {
		return Synopsis{}
	}
	return out
}

// showableSynopsis returns a model's sentence without secrets, or "" if readers must not see it. The title, description and code
// of the change may have influenced it. So it must be one short sentence in the letters of the language, without links, mentions,
// hidden characters and judgements.
func (w *work) showableSynopsis(text string) string {
	if len(text) > maxSynopsis*utf8.UTFMax {
		return ""
	}
	text = w.redact(strings.TrimSpace(text))
	if utf8.RuneCountInString(text) > maxSynopsis || !isOneSentence(text) || hasAddress(text) || hasMention(text) ||
		hasJudgement(text) || !isWrittenIn(w.in.Policy.Language, text) {
		return ""
	}
	return change.OneLine(text)
}

// isOneSentence reports whether no sentence ends before the end of a text. A full stop within a number or a name, such as that of
// a file, ends none. [isWrittenIn] refuses line breaks.
func isOneSentence(text string) bool {
	body := strings.TrimRight(plainCode.ReplaceAllString(text, "$1 $2"), ".!?…。！？\"'”’»)）」 ")
	if joinedSentences.MatchString(body) {
		return false
	}
	for i, r := range body {
		switch {
		case strings.ContainsRune("。！？;；", r):
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

// scripts has the languages of the lists of judgements. Each is written in Latin letters, or in its scripts and with names in
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
