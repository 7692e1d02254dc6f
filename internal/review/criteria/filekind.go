package criteria

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// matter is the kind of text in a file. It decides what the file can prove.
type matter int

const (
	matterCode     matter = iota
	matterSetting         // keys and values
	matterMarkup          // tags, with text and code among them
	matterDocument        // prose that people write about the code
	matterWords           // any other text: data, notes, unknown files
)

// Files by their extensions, for languages that [diff.Language] does not name.
var (
	furtherSettings = map[string]string{".arb": "JSON", ".po": "properties", ".pot": "properties", ".strings": "properties",
		".ftl": "properties"}
	furtherMarkup = map[string]bool{".xlf": true, ".xliff": true, ".resx": true, ".plist": true, ".cshtml": true, ".erb": true,
		".ejs": true, ".hbs": true, ".jinja": true, ".j2": true, ".twig": true}
	furtherCode = splitSet(".pas .dpr .cob .cbl .f .f90 .f95 .adb .ads .asm .s .lisp .lsp .el .rkt .scm .coffee .tcl .awk .prisma " +
		".bicep .jsonnet .libsonnet .cue .gd .abap .vbs .hx .wgsl .glsl .hlsl .cu .cl .odin .gleam .res .re .purs .idr .agda .lean " +
		".ada .cls .trigger .apex .sas .do .st .move .cairo .vy .rkt .hbm .pp .dhall .wat .xsl .xslt")
	translated = splitSet("locale locales i18n l10n lang langs language languages translation translations messages intl")
)

func splitSet(list string) map[string]bool {
	out := map[string]bool{}
	for s := range strings.FieldsSeq(list) {
		out[s] = true
	}
	return out
}

// matterOf returns the kind of a file by its path, and the language whose syntax it has.
func matterOf(name string) (matter, string) {
	class, language := diff.Classify(name, nil)
	ext := path.Ext(strings.ToLower(name))
	switch {
	case class == diff.ClassDocs || language == "TeX" || language == "markdown" || language == "reStructuredText":
		return matterDocument, language
	case furtherSettings[ext] != "":
		return matterSetting, furtherSettings[ext]
	case furtherMarkup[ext]:
		return matterMarkup, "XML"
	case furtherCode[ext]:
		return matterCode, language
	case class == diff.ClassCI && language != "":
		return matterCode, language
	case language == "JSON" || language == "YAML" || language == "TOML" || language == "INI" || language == "properties":
		return matterSetting, language
	case language == "HTML" || language == "XML" || language == "vue" || language == "Svelte" || language == "Go HTML Template":
		return matterMarkup, language
	case language != "":
		return matterCode, language
	case strings.HasPrefix(path.Base(strings.ToLower(name)), ".env") || ext == ".env":
		return matterSetting, "properties"
	case class == diff.ClassConfig || class == diff.ClassCI:
		return matterSetting, ""
	}
	return matterWords, ""
}

// isTranslation reports whether a file holds texts in the languages of the users.
func isTranslation(name string) bool {
	lower := strings.ToLower(name)
	switch path.Ext(lower) {
	case ".arb", ".po", ".pot", ".strings", ".ftl", ".xlf", ".xliff", ".resx":
		return true
	}
	words := strings.FieldsFunc(path.Dir(lower)+"/"+strings.TrimSuffix(path.Base(lower), path.Ext(lower)), func(r rune) bool {
		return r == '/' || r == '.' || r == '_' || r == '-'
	})
	return slices.ContainsFunc(words, func(w string) bool { return translated[w] })
}

// shownText is the text of a file as it is weighed: the text, the text without comments, the text that proves
// by itself, and the text that proves only a criterion about such text. All are equally long, with spaces for
// the rest.
type shownText struct{ text, code, strong, weak string }

// weighed prepares the text of a file, once.
func (j *Judge) weighed(f *lookup.File) shownText {
	text, _ := j.weighable.LoadOrStore(f, sync.OnceValue(func() shownText { return weighable(f.Path, f.Lines) }))
	return text.(func() shownText)()
}

// weighable prepares the text of a file. A line with invisible characters counts for nothing, because they
// would hide that it is prose.
func weighable(name string, given []string) shownText {
	lines, hidden := make([]string, len(given)), make([]bool, len(given))
	for i, l := range given {
		lines[i] = change.ShowInvisible(l)
		hidden[i] = lines[i] != l
	}
	text := strings.Join(lines, "\n")
	m, language := matterOf(name)
	code, bare := anchor.Blank(language, text)
	out := shownText{text: text, code: code, strong: strings.Repeat(" ", len(text))}
	out.weak = out.strong
	switch m {
	case matterCode:
		out.strong = withoutRuns(language, text, change.BlankSentences(bare))
	case matterSetting:
		if language == "" {
			out.weak = withoutRuns(language, text, change.BlankSentences(bare))
			break
		}
		out.weak = change.BlankSentences(settingsIn(language, text, code, isTranslation(name)))
	case matterMarkup:
		parts := markupIn(text)
		out.strong = withoutRuns(language, text, change.BlankSentences(marked(bare, parts.code)))
		out.weak = withoutRuns(language, text, change.BlankSentences(marked(bare, parts.tags)))
	case matterDocument:
		if out.weak = code; language != "markdown" {
			out.weak = text
		}
	case matterWords:
		out.weak, out.code = text, text
	}
	out.strong, out.weak = withoutLines(out.strong, hidden), withoutLines(out.weak, hidden)
	return out
}

// withoutLines blanks the marked lines of a text.
func withoutLines(text string, which []bool) string {
	if !slices.Contains(which, true) {
		return text
	}
	b, line := []byte(text), 0
	for i, c := range b {
		if c == '\n' {
			line++
		} else if which[line] {
			b[i] = ' '
		}
	}
	return string(b)
}

// marked blanks the bytes of a text that a mask does not keep.
func marked(text string, keep []bool) string {
	b := []byte(text)
	for i := range b {
		if !keep[i] && b[i] != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// blanked replaces a piece of a text by spaces, and keeps the ends of lines.
func blanked(b []byte, from, to int) {
	for i := from; i < to; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// maxValueWords bounds the words of a value that is not a sentence.
const maxValueWords = 5

// saysWords reports whether a value is a sentence, and not a number, name, path or the like.
func saysWords(value string) bool {
	value = strings.Trim(strings.TrimSpace(value), `"'`+"`")
	if strings.IndexFunc(value, unicode.IsSpace) >= 0 && !strings.HasPrefix(value, "[") && !strings.HasPrefix(value, "{") {
		return true
	}
	words := 0
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(part) > 1 {
			words += len(change.NameWords(part))
		}
	}
	return words > maxValueWords || ideographs(value) > maxIdeographs
}
