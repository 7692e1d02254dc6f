package anchor

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestCosine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b     string
		min, max float64
	}{
		{"The error of Close is ignored", "ignored error of close", 0.7, 1}, {"same words", "words same", 1, 1},
		{"nil dereference", "slow query", 0, 0}, {"", "x", 0, 0}, {"...", "...", 0, 0},
		{"the lists are divided", "list divides", 0.4, 1},                 // stems
		{"userID may be nil", "the user id is nil", 0.6, 1},               // sub-words of identifiers
		{"read_file fails", "readFile failed", 1, 1},                      //
		{"HTTPServer stops", "the server of http is stopped", 0.5, 1},     //
		{"空のリストでゼロ除算が起きる", "リストが空のときゼロ除算になる", 0.4, 1},                     // pairs of characters
		{"除数可能为零，程序会崩溃", "切片为空时除数为零，程序崩溃", 0.4, 1},                        //
		{"除数可能为零", "连接没有关闭", 0, 0.1},                                      //
		{"L’erreur est ignorée", "erreur ignorée", 0.7, 1},                //
		{"Die Größe wird nie geprüft", "die größe ist ungeprüft", 0.3, 1}, //
	} {
		if s := Cosine(CountWords(tt.a), CountWords(tt.b)); s < tt.min-1e-9 || s > tt.max+1e-9 {
			t.Errorf("%q, %q: %v", tt.a, tt.b, s)
		}
	}
}

func TestCountWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"parseHTTPHeader2x": "2 header http pars x",
		"snake_case_name":   "case name snake",
		"ключ потерян":      "ключ потерян",
		"一二三":               "一二 二三",
		"零":                 "零",
		"naïve Straße":      "naïv straße",
	} {
		got := strings.Join(slices.Sorted(maps.Keys(CountWords(text))), " ")
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if long := strings.Repeat("a", 100_000); len(CountWords(long)) != 1 {
		t.Error("a long word is not one word")
	}
}
