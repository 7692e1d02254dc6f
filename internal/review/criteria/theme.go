package criteria

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
)

// Subjects that a criterion must have, so that text of a kind proves it alone.
var (
	// aboutDocs finds documents of a repository. Documents that the product handles, or files that people import
	// or export, are not meant.
	aboutDocs = regexp.MustCompile(`(?i)\bdocumentation\b|\bdocumented\b|\bdocs\b|\breadme\b|\bchange ?log\b|\brelease notes\b|` +
		`\b(?:user|admin\w*|operat\w+|developer|install\w*|migration|upgrade|reference|api)['’s]* (?:manual|guide|handbook)\b|` +
		`\brunbook\b|\bdokumentation\b|\bdokumentiert\b|\b(?:benutzer|betriebs|admin)?(?:handbuch|anleitung)\b|` +
		`documentación|documentad[oa]s?\b|\bdocumenté|ドキュメント|説明書|(?:使用|开发|接口)(?:文档|手册)`)
	handled = regexp.MustCompile(`(?i)\b(?:down|up)load|\bimport|\bexport(?:ed|s)? (?:as|to)\b|\battach|\bpdf\b|herunter|` +
		`hochgeladen|hochladen|télécharg|descarg|ダウンロード|アップロード|下载|上传`)
	pointing = regexp.MustCompile(`(?i)\b(?:as|like|wie|como|comme)\s+(?:it\s+)?(?:is\s+|are\s+)?(?:documented|described|` +
		`explained|written|dokumentiert|beschrieben|documentad\w+)(?:\s+(?:in|at|by)\b)?|` +
		`\b(?:see|per|according to|follow(?:s|ing)?|siehe|laut|gemäß)\s+(?:the\s+|der\s+)?`)
	written = regexp.MustCompile(`(?i)\b(?:documented|described|explained|mentioned|listed|written|noted|added|recorded|` +
		`dokumentiert|beschrieben|erklärt|erwähnt|stands?|steht)\s+(?:in|to|by|at|zu)?\s*(?:the\s+|der\s+|im\s+)?$`)
	leading = regexp.MustCompile(`(?i)\b(?:in|of|from|by|per|to|with|see|under|at|on|for|gemäß|laut|nach|aus|von|mit|siehe|` +
		`im|zu)\s+(?:the\s+|der\s+|file\s+|datei\s+)*$`)

	aboutTest = regexp.MustCompile(`(?i)\b(?:unit|integration|regression|automated|end-to-end|e2e|fuzz|contract)[ -]?tests?\b|` +
		`\btests? (?:\w+ )?(?:shows?|proves?|covers?|checks?|verif\w+|asserts?|ensures?|exists?|for|that|fails?|passe?s?)\b|` +
		`\b(?:is|are|be|been) (?:\w+ )?(?:unit-)?tested\b|\bcovered by\b.*\btests?\b|\btest coverage\b|\btest cases?\b|\b(?:has|have|` +
		`with) (?:\w+ )?tests\b` +
		`|getestet|\btests? (?:zeigt|zeigen|prüft|prüfen|belegt|deckt|für)\b|\btestabdeckung\b|\btestfäll?e?\b|\bpruebas? ` +
		`(?:unitarias?|automáticas?|de integración|que|cubren?|muestran?)|\btestée?s?\b|(?:単体|結合|自動|回帰)テスト|テスト(?:が|で|コード|ケース)|` +
		`(?:单元|集成|自动|回归)测试|測試用例|测试(?:用例|覆盖|证明|表明|验证)`)

	aboutSetting = regexp.MustCompile(`(?i)\bconfig(?:ur\w*)?\b|\bsettings?\b|\bset to\b|\benvironment variable|` +
		`\bfeature flag|\bby default\b|\bdefault (?:value|is|of)\b|\bthe default\b|\bparameter|einstell|konfigur|vorgabewert|` +
		`voreingestellt|\bconfigurac|\bparamètre|設定|配置|既定`)

	aboutShown = regexp.MustCompile(`(?i)\b(?:text|label|message|button|title|heading|caption|placeholder|tooltip|hint|` +
		`wording|error|notice|banner|link|menu|dialog|page|screen|form|field|column|tab|icon|badge)s?\b|` +
		`\b(?:says?|reads?|shown?|shows|displays?|displayed|visible|translated|translations?|localized|localised)\b` +
		`|beschrift|meldung|schaltfläche|überschrift|hinweis|\bseite\b|formular|\bfeld\b|übersetz|angezeigt|\bzeigt\b|mensaje|botón|` +
		`texto|página|traduc|bouton|affich|表示|ボタン|翻訳|文言|显示|按钮|翻译`)
	aboutTranslation = regexp.MustCompile(`(?i)\btranslat|\blocali[sz]|\bi18n\b|\bl10n\b|übersetz|traduc|翻訳|翻译|` +
		`\bin (?:german|english|french|spanish|japanese|chinese|all languages)\b`)

	inQuotes = regexp.MustCompile(`"([^"]{2,200})"|“([^”]{2,200})”|„([^“”]{2,200})[“”]|«([^»]{2,200})»|「([^」]{2,200})」|(?:^|` +
		`[\s(:])'([^']{2,200})'(?:$|[\s).,;:])|` + "`([^`]{2,200})`")
)

// theme is the subject of a criterion, as far as its words show, sentence by sentence. Text beside code proves
// a criterion alone only if every sentence is about such text: a ticket cannot make documents a proof by
// saying so behind a criterion.
type theme struct {
	sentences []sentence
	tests     bool
	shown     bool     // texts that people see
	named     []string // texts in quotation marks, without white space; only if shown
}

// sentence is a sentence of a criterion.
type sentence struct {
	text                  string
	words                 []string
	docs, settings, shown bool
	language              bool // translations
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?;:]+(?:\s|$)|[()\[\]{}|<>\n。！？；（）]+|\s[-–—]+\s`)
	letters     = regexp.MustCompile(`\pL{2}`)
)

// themeOf reads a criterion.
func themeOf(criterion string) theme {
	outside := inQuotes.ReplaceAllString(criterion, ` "" `)
	a := theme{tests: true, shown: true}
	for _, text := range sentenceEnd.Split(outside, maxSentences) {
		if !letters.MatchString(text) {
			continue
		}
		s := sentence{text: text, words: withParts(wordsOf(text)), settings: aboutSetting.MatchString(text),
			language: aboutTranslation.MatchString(text)}
		s.docs = aboutDocs.MatchString(text) && !handled.MatchString(text) && !pointed(text)
		s.shown = s.language || aboutShown.MatchString(text)
		a.tests, a.shown = a.tests && aboutTest.MatchString(text), a.shown && s.shown
		a.sentences = append(a.sentences, s)
	}
	a.tests, a.shown = a.tests && len(a.sentences) > 0, a.shown && len(a.sentences) > 0
	if a.shown {
		for _, m := range inQuotes.FindAllStringSubmatch(criterion, maxSentences) {
			a.named = append(a.named, change.StripSpace(strings.Join(m[1:], "")))
		}
	}
	return a
}

// maxSentences bounds the sentences of a criterion that are told apart.
const maxSentences = 20

// withParts adds the parts of joined words to a list of words, and the joined words without their hyphens.
func withParts(words []string) []string {
	for _, w := range words {
		if strings.ContainsAny(w, "-_") {
			words = append(words, strings.NewReplacer("-", "", "_", "").Replace(w))
			words = append(words, strings.FieldsFunc(w, func(r rune) bool { return r == '-' || r == '_' })...)
		}
	}
	return words
}

// each reports whether something holds for every sentence, and there is one.
func (a theme) each(holds func(s sentence) bool) bool {
	return len(a.sentences) > 0 && !slices.ContainsFunc(a.sentences, func(s sentence) bool { return !holds(s) })
}

// provable reports whether a file can prove anything of the criterion. Text for people can only if the
// criterion is about that text.
func (a theme) provable(file string) bool {
	switch what, _ := matterOf(file); what {
	case matterDocument:
		return a.each(func(s sentence) bool { return s.document(file) })
	case matterWords:
		return a.each(func(s sentence) bool { return s.names(file) })
	}
	return true
}

// pointed reports whether the text mentions documents only as a reference.
func pointed(text string) bool {
	for _, m := range pointing.FindAllStringIndex(text, -1) {
		if d := aboutDocs.FindStringIndex(text[m[0]:]); d != nil && d[0] <= m[1]-m[0]+len("the ") {
			return true
		}
	}
	return false
}

// names reports whether a sentence is about a file, by its whole name, and does not only refer to it.
func (a sentence) names(file string) bool {
	return a.mentions(file, func(before string) bool {
		return !leading.MatchString(before) && !pointing.MatchString(before) || written.MatchString(before) && !pointing.MatchString(before)
	})
}

// mentions reports whether the whole name of a file stands in the sentence behind text that fits. Names
// without an extension may be ordinary words: they count only in capital letters, as they are written.
func (a sentence) mentions(file string, fits func(before string) bool) bool {
	base := path.Base(file)
	text, wanted := a.text, base
	if strings.Contains(strings.TrimPrefix(base, "."), ".") || strings.HasPrefix(base, ".") {
		text, wanted = strings.ToLower(text), strings.ToLower(base)
	} else if strings.ToUpper(base) != base {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], wanted)
		if i < 0 || wanted == "" {
			return false
		}
		from += i
		before, after := text[:from], text[from+len(wanted):]
		from += len(wanted)
		if prev, _ := utf8.DecodeLastRuneInString(before); nameRune(prev) && prev != '/' {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(after); nameRune(next) || next == '/' || next == '.' && len(after) > 1 && nameRune(rune(after[1])) {
			continue
		}
		before = strings.TrimRight(before[:strings.LastIndexFunc(before, unicode.IsSpace)+1], "`\"'")
		if fits(before) {
			return true
		}
	}
}

func anyway(string) bool { return true }

func nameRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '/')
}

// Names of documents that a criterion asks for, and of the files that hold them.
var documents = []struct{ asked, file *regexp.Regexp }{
	{regexp.MustCompile(`(?i)\breadme\b`), regexp.MustCompile(`(?i)^readme`)},
	{regexp.MustCompile(`(?i)\bchange ?log\b|\brelease notes\b`),
		regexp.MustCompile(`(?i)^(?:change|changes|changelog|news|history|release)`)},
}

// document reports whether the sentence is about a document.
func (a sentence) document(file string) bool {
	if a.names(file) {
		return true
	}
	asked := false
	for _, d := range documents {
		if d.asked.MatchString(a.text) {
			asked = true
			if a.docs && d.file.MatchString(path.Base(file)) {
				return true
			}
		}
	}
	return a.docs && !asked
}

var settingKey = regexp.MustCompile(`(?:^|[\n{,])\s*(?:- +)*["']?([\pL\pN_.$/-]+)["']?\s*[:=]`)

// setting reports whether the sentence is about a setting that is quoted: about settings or the file at all,
// or about all words of the key of one.
func (a sentence) setting(file, lines, quoted string) bool {
	if a.settings || a.mentions(file, anyway) || isTranslation(file) && a.shown {
		return true
	}
	for _, m := range settingKey.FindAllStringSubmatch(lines, 100) {
		words, letters := 0, 0
		known := strings.Contains(quoted, m[1])
		for part := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			for _, w := range change.NameWords(part) {
				words, letters = words+1, letters+utf8.RuneCountInString(w)
				known = known && slices.ContainsFunc(a.words, func(c string) bool { return alike(strings.ToLower(w), c) })
			}
		}
		if known && words > 0 && letters > 3 {
			return true
		}
	}
	return false
}

// alike reports whether two words are equal but for an ending.
func alike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) > 3 && len(b)-len(a) < 4 && strings.HasPrefix(b, a)
}
