package wording

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// same are the texts that are equal in English and in another language: punctuation, and words that
// engineers of the language use.
var same = []string{", ", " ", ". ", "{0} ({1})", "{0}: {1}", "{0}: “{1}”", "{0}?", "pull request", "API", "secret", "documentation"}

// Every language has every text with the same placeholders, and no text is left in English.
func TestEveryTextInEveryLanguage(t *testing.T) {
	t.Parallel()
	for tag, texts := range tables {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			for k := none + 1; k < keys; k++ {
				want, got := english[k], texts[k]
				if got.Other == "" && !(k == Sentences && (tag == "ja" || tag == "zh")) {
					t.Errorf("text %d has no words: %q in English", k, want.Other)
					continue
				}
				for _, form := range []string{string(got.Other), string(got.One)} {
					if form != "" && !slices.Equal(places(form), places(string(want.Other))) {
						t.Errorf("%q has other places than %q", form, want.Other)
					}
					if form != strings.TrimSpace(form) && k != Between && k != Sentences && k != TitleEnd {
						t.Errorf("%q begins or ends with a space", form)
					}
					if strings.Count(form, "`")%2 != 0 || strings.Count(form, "**")%2 != 0 {
						t.Errorf("a sign of %q stands alone", form)
					}
				}
				if tag != "en" && got.Other == want.Other && !slices.Contains(same, string(got.Other)) {
					t.Errorf("%q is English", got.Other)
				}
				if (tag == "ja" || tag == "zh") && got.One != "" {
					t.Errorf("%q: the language has one form", got.One)
				}
			}
		})
	}
}

// places returns the distinct placeholders of a text, in order.
func places(form string) []string {
	found := place.FindAllString(form, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// If English has two forms, languages with two forms have both, or their text is the same in both.
func TestPlural(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tag, none, one, two, many string }{
		{"en", "0 files", "1 file", "2 files", "12,345 files"},
		{"de", "0 Dateien", "1 Datei", "2 Dateien", "12.345 Dateien"},
		{"fr", "0 fichier", "1 fichier", "2 fichiers", "12\u00a0345 fichiers"},
		{"es", "0 archivos", "1 archivo", "2 archivos", "12.345 archivos"},
		{"pt-BR", "0 arquivo", "1 arquivo", "2 arquivos", "12.345 arquivos"},
		{"ja", "0 ファイル", "1 ファイル", "2 ファイル", "12,345 ファイル"},
		{"zh", "0 个文件", "1 个文件", "2 个文件", "12,345 个文件"},
	} {
		t.Run(tc.tag, func(t *testing.T) {
			t.Parallel()
			w := In(tc.tag)
			for n, want := range map[int]string{0: tc.none, 1: tc.one, 2: tc.two, 12345: tc.many} {
				if got := w.Count(Files, n).String(); got != want {
					t.Errorf("%d: got %q, want %q", n, got, want)
				}
			}
		})
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"en": "0.90", "de": "0,90", "fr": "0,90", "ja": "0.90"} {
		if got := In(tag).Share(0.9).String(); got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

// A tag selects its language by its first part. If there are no texts of a language, they are English.
func TestTags(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"de-AT": "Einzelheiten", "de-CH-1996": "Einzelheiten", "DE": "Einzelheiten", "fr-CA": "détails", "es-419": "detalles", "pt-BR": "detalhes", "pt-PT": "detalhes",
		"ja-JP": "詳細", "zh": "详情", "zh-Hans": "详情", "zh-Hant": "详情", "zh-TW": "详情", "zh-Hant-HK": "详情",
		"en": "details", "en-GB": "details", "nl": "details", "gsw": "details", "ca": "details", "ko": "details", "x": "details", "": "details", "und": "details", "not a tag": "details",
	} {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			if got := In(tag).Say(Details).String(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestEverySeverityAndCategoryHasAName(t *testing.T) {
	t.Parallel()
	for s := domain.Info; s <= domain.Critical; s++ {
		if severities[s] == none || counts[s] == none {
			t.Errorf("severity %s has no name", s)
		}
	}
	for _, c := range domain.Categories() {
		if categories[c] == none {
			t.Errorf("category %s has no name", c)
		}
	}
}

// A stored English text is recognised with its arguments, so the texts of a group are distinguishable.
func TestStoredTextsAreRecognised(t *testing.T) {
	t.Parallel()
	for _, g := range groups {
		for k := g.first; k <= g.last; k++ {
			for _, first := range []any{1, 23} {
				want := []any{first, "a.go, b (c) and 4 more", "`x` @octocat"}[:len(places(string(english[k].Other)))]
				stored := English(k, want...)
				got, args := read(stored, g)
				if got != k || len(args) != len(want) {
					t.Errorf("%q is read as text %d with %q, not %d", stored, got, args, k)
					continue
				}
				if again := English(got, anys(args)...); again != stored && first != 1 {
					t.Errorf("%q is read as %q", stored, again)
				}
			}
		}
	}
	if Reasons.Knows("something else") || Reasons.Knows(English(EndGone)) {
		t.Error("a text is known that no text of the group has made")
	}
}

func anys(args []string) (out []any) {
	for _, a := range args {
		out = append(out, a)
	}
	return out
}

func TestShowOfStoredTexts(t *testing.T) {
	t.Parallel()
	show := Show{Words: func(s string) markdown.Text { return markdown.Line(s, 0) }, Name: markdown.Span}
	for name, tc := range map[string]struct {
		stored string
		group  Group
		want   string
	}{
		"one":          {English(NoticeUnchecked, 1), Notices, "1 Datei ließ sich innerhalb der Grenzen von Speicher und Zeit nicht prüfen; kein Modell hat sie gesehen."},
		"many":         {English(FilesTooLarge, 2000), Clauses, "2.000 Dateien zu groß für die Prüfung"},
		"order":        {English(PartsReviewed, 2, 3), Clauses, "2 von 3 Teilen der Änderung geprüft"},
		"a list":       {English(NoticeInstructions, "AGENTS.md, x/`y`.md, 3 more"), Notices, "Die Änderung betrifft Anweisungen für automatische Prüfer oder Assistenten; es gilt die Fassung des Basis-Branches, und die neue sollte ein Mensch lesen: `AGENTS.md`, ``x/`y`.md`` und 3 weitere."},
		"further":      {English(SayBidiMore, "U+202E", "3, 4 and 2 more"), Explanations, "Diese Änderung fügt Zeichen hinzu, die die Anzeigereihenfolge von Text ändern, sodass Code sich anders liest, als er ausgeführt wird (`U+202E`). Weitere Zeilen: 3, 4 und 2 weitere. Bitte entfernen oder, wo ein Programm sie braucht, als Escape-Sequenzen schreiben."},
		"hostile":      {English(TitleSecret, "[x](https://evil.example) @octocat"), Titles, "Eingecheckte Zugangsdaten entfernen: `[x](https://evil.example) @octocat`"},
		"other words":  {"something else @octocat", Notices, "something else `@octocat`"},
		"other group":  {English(EndGone), Notices, "The host does not show the pull request any more."},
		"nothing":      {"", Notices, ""},
		"places in it": {English(TitleSecret, "{0} {1}"), Titles, "Eingecheckte Zugangsdaten entfernen: `{0} {1}`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := In("de").Translate(tc.stored, tc.group, show).String(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if got := In("de").Brief().Translate(English(SaySecret, "aws"), Explanations, show).String(); got != "Diese Änderung fügt etwas hinzu, das nach Zugangsdaten aussieht (`aws`)." {
		t.Errorf("brief: %q", got)
	}
	if got := In("ja").Brief().Translate(English(SaySecret, "aws"), Explanations, show).String(); got != "この変更は、シークレットと思われる値（`aws`）を追加しています。" {
		t.Errorf("brief: %q", got)
	}
}

// englishWord matches a word of three or more ASCII letters.
var englishWord = regexp.MustCompile(`[A-Za-z]{3,}`)

// codeSpan matches code: names, commands.
var codeSpan = regexp.MustCompile("`[^`]*`")

// names are words that Japanese and Chinese write in Latin letters.
var names = []string{"API", "Git", "GitHub", "LFS"}

func TestNoLatinWordsInJapaneseAndChinese(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"ja", "zh"} {
		for k, p := range tables[tag] {
			for _, word := range englishWord.FindAllString(codeSpan.ReplaceAllString(string(p.Other), ""), -1) {
				if !slices.Contains(names, word) {
					t.Errorf("%s: %q stands in text %d: %q", tag, word, k, p.Other)
				}
			}
		}
	}
}

// The French texts have one word for a review.
func TestFrenchReviewsHaveOneName(t *testing.T) {
	t.Parallel()
	for k, p := range tables["fr"] {
		if strings.Contains(string(p.One)+string(p.Other), "revue") {
			t.Errorf("text %d says revue instead of relecture: %q", k, p.Other)
		}
	}
}

// Every cause of an end has words.
func TestEndsHaveWords(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../domain/end_causes.go")
	if err != nil {
		t.Fatal(err)
	}
	causes := regexp.MustCompile(`(?m)^\tEnd\w+\s+EndCause = "(\w+)"`).FindAllStringSubmatch(string(raw), -1)
	if len(causes) < 10 {
		t.Fatalf("only %d causes were found", len(causes))
	}
	for _, c := range causes {
		if said := domain.EndCause(c[1]).Words(); !Ends.Knows(said) {
			t.Errorf("%s has no words: %q", c[1], said)
		}
	}
}
