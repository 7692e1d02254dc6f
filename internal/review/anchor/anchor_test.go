package anchor

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

type files map[string]string // "RIGHT:path" to content

func (f files) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if s, ok := f[string(side)+":"+path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

const oldGo = `package p

import "os"

func A(x int) int {
	if x == 0 {
		return 1
	}
	return x
}

func B() error {
	f, err := os.Open("a")
	if err != nil {
		return err
	}
	defer f.Close()
	return nil
}

func C() {
	println("c")
	println("c")
}

// naïve → ünï
func D() { println("é") }
`

const newGo = `package p

import "os"

func A(x int) int {
	if x >= 0 {
		return 1
	}
	return x
}

func B() error {
	f, _ := os.Open("a")
	defer f.Close()
	return nil
}

func C() {
	println("c")
	println("d")
	println("c")
}

// naïve → ünï
func D() { println("é") }
`

const patch = `@@ -3,8 +3,8 @@ package p
 import "os"
 
 func A(x int) int {
-	if x == 0 {
+	if x >= 0 {
 		return 1
 	}
 	return x
 }
@@ -12,10 +12,7 @@ func B() error {
 func B() error {
-	f, err := os.Open("a")
-	if err != nil {
-		return err
-	}
+	f, _ := os.Open("a")
 	defer f.Close()
 	return nil
 }
 
 func C() {
@@ -21,5 +19,6 @@ func C() {
 	println("c")
+	println("d")
 	println("c")
 }
 
 // naïve → ünï
`

func fixture(t testing.TB) (*diff.Set, files) {
	t.Helper()
	p := strings.Replace(patch, "@@ -12,10 +12,7 @@", "@@ -12,10 +12,7 @@", 1)
	set, err := diff.FromPatches([]diff.Patch{
		{Path: "new.go", OldPath: "old.go", Status: diff.Renamed, Text: p},
		{Path: "gone.py", Status: diff.Deleted, Text: "@@ -1,2 +0,0 @@\n-import os\n-os.remove(path)\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return set, files{"LEFT:old.go": oldGo, "RIGHT:new.go": newGo, "LEFT:gone.py": "import os\nos.remove(path)\n"}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	long := strings.TrimSuffix(newGo[strings.Index(newGo, "func A"):strings.Index(newGo, "func C")], "\n")
	for _, tt := range []struct {
		name       string
		in         domain.Anchor
		kind       Kind
		path       string
		side       domain.Side
		start, end int
		symbol     string
	}{
		{"exact", domain.Anchor{Path: "new.go", Side: "RIGHT", StartLine: 6, EndLine: 6, Quote: "if x >= 0 {"}, OK, "new.go", "RIGHT", 6, 6, "A"},
		{"other white space", domain.Anchor{Path: "new.go", StartLine: 6, EndLine: 7, Quote: "  if x  >= 0 {\n\n\n   return 1\r\n"}, OK, "new.go", "RIGHT", 6, 7, "A"},
		{"part of a line", domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: `os.Open("a")`}, OK, "new.go", "RIGHT", 13, 13, "B"},
		{"wider claim is kept", domain.Anchor{Path: "new.go", StartLine: 12, EndLine: 14, Quote: `f, _ := os.Open("a")`}, OK, "new.go", "RIGHT", 12, 14, "B"},
		{"wrong line, only one place", domain.Anchor{Path: "new.go", StartLine: 2, EndLine: 3, Quote: `f, _ := os.Open("a")`}, Moved, "new.go", "RIGHT", 13, 13, "B"},
		{"several places, nearest", domain.Anchor{Path: "new.go", StartLine: 22, EndLine: 22, Quote: `println("c")`}, Moved, "new.go", "RIGHT", 21, 21, "C"},
		{"old path of a rename", domain.Anchor{Path: "old.go", StartLine: 6, EndLine: 6, Quote: "if x >= 0 {"}, OK, "new.go", "RIGHT", 6, 6, "A"},
		{"prefix of a diff", domain.Anchor{Path: "b/new.go", StartLine: 6, EndLine: 6, Quote: "if x >= 0 {"}, OK, "new.go", "RIGHT", 6, 6, "A"},
		{"signs of a diff", domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: "+\tf, _ := os.Open(\"a\")"}, OK, "new.go", "RIGHT", 13, 13, "B"},
		{"numbers of a listing", domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 14, Quote: "13 +\tf, _ := os.Open(\"a\")\n14  \tdefer f.Close()"}, OK, "new.go", "RIGHT", 13, 14, "B"},
		{"fuzzy", domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: `f, _ = os.Open("a")`}, OK, "new.go", "RIGHT", 13, 13, "B"},
		{"invented", domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: `db.Query("DROP " + name)`}, Dropped, "new.go", "", 13, 13, ""},
		{"inside a word", domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: `rintl`}, Dropped, "new.go", "", 13, 13, ""},
		{"no quotation", domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: " \n"}, Dropped, "new.go", "", 13, 13, ""},
		{"only the file", domain.Anchor{Path: "new.go"}, FileLevel, "new.go", "RIGHT", 0, 0, ""},
		{"outside the diff", domain.Anchor{Path: "new.go", StartLine: 26, EndLine: 26, Quote: `func D() { println("é") }`}, FileLevel, "new.go", "RIGHT", 0, 0, "D"},
		{"characters outside ASCII", domain.Anchor{Path: "new.go", StartLine: 25, EndLine: 25, Quote: `naïve → ünï`}, Moved, "new.go", "RIGHT", 24, 24, ""},
		{"over two hunks", domain.Anchor{Path: "new.go", StartLine: 9, EndLine: 13, Quote: "return x\n}\n\nfunc B() error {\nf, _ := os.Open(\"a\")"}, Clamped, "new.go", "RIGHT", 12, 13, "A"},
		{"too long", domain.Anchor{Path: "new.go", StartLine: 5, EndLine: 16, Quote: long}, Clamped, "new.go", "RIGHT", 5, 10, "A"},
		{"removed line", domain.Anchor{Path: "new.go", Side: "LEFT", StartLine: 14, EndLine: 16, Quote: "if err != nil {\n\t\treturn err"}, OK, "new.go", "LEFT", 14, 16, "B"},
		{"removed line claimed as new", domain.Anchor{Path: "new.go", Side: "RIGHT", StartLine: 13, EndLine: 13, Quote: "if x == 0 {"}, Moved, "new.go", "LEFT", 6, 6, "A"},
		{"unchanged line claimed as old", domain.Anchor{Path: "new.go", Side: "LEFT", StartLine: 17, EndLine: 17, Quote: "defer f.Close()"}, Moved, "new.go", "RIGHT", 14, 14, "B"},
		{"deleted file", domain.Anchor{Path: "gone.py", Side: "RIGHT", StartLine: 2, EndLine: 2, Quote: "os.remove(path)"}, OK, "gone.py", "LEFT", 2, 2, ""},
		{"path not in the diff", domain.Anchor{Path: "x.go", StartLine: 2, EndLine: 2, Quote: "q"}, PRLevel, "x.go", "", 0, 0, ""},
		{"hostile path", domain.Anchor{Path: "../../etc/passwd", StartLine: 2, Quote: "root"}, PRLevel, "../../etc/passwd", "", 0, 0, ""},
		{"lines upside down", domain.Anchor{Path: "new.go", StartLine: 6, EndLine: 2, Quote: "if x >= 0 {"}, OK, "new.go", "RIGHT", 6, 6, "A"},
		{"negative lines", domain.Anchor{Path: "new.go", StartLine: -6, EndLine: -2, Quote: "if x >= 0 {"}, Moved, "new.go", "RIGHT", 6, 6, "A"},
	} {
		for _, crlf := range []bool{false, true} {
			name := tt.name
			if crlf {
				name += ", CRLF"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				set, src := fixture(t)
				if crlf {
					for k, v := range src {
						src[k] = strings.ReplaceAll(v, "\n", "\r\n")
					}
				}
				a := tt.in
				out, err := Validate(t.Context(), &a, set, src)
				if err != nil {
					t.Fatal(err)
				}
				if out.Kind != tt.kind || a.Path != tt.path || a.Side != tt.side || a.StartLine != tt.start || a.EndLine != tt.end || a.Symbol != tt.symbol {
					t.Fatalf("%+v %+v", out, a)
				}
				if !out.Inline() {
					return
				}
				f := set.File(a.Path)
				h, ok := f.Commentable(a.Side, a.StartLine)
				h2, ok2 := f.Commentable(a.Side, a.EndLine)
				if !ok || !ok2 || h != h2 || h.ID != a.HunkID || a.Level != domain.AnchorLine || a.EndLine-a.StartLine >= MaxLines {
					t.Errorf("not postable: %+v", a)
				}
				again := a // validating an anchor twice changes nothing
				if o, err := Validate(t.Context(), &again, set, src); err != nil || o.Kind != OK || again.StartLine != a.StartLine || again.EndLine != a.EndLine || again.Quote != a.Quote {
					t.Errorf("second validation: %+v %+v %v", o, again, err)
				}
			})
		}
	}
}

func TestValidateWithoutSource(t *testing.T) {
	t.Parallel()
	set, _ := fixture(t)
	a := domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: `f, _ := os.Open("a")`}
	if out, err := Validate(t.Context(), &a, set, nil); err != nil || out.Kind != OK || !out.Changed || a.Symbol != "B" {
		t.Errorf("%+v %+v %v", out, a, err)
	}
}

// A quotation that carries line numbers matches the code that it quotes, not a longer run of lines that
// only resembles it because of the numbers.
func TestLineNumbersDoNotMakeQuotationsSimilar(t *testing.T) {
	t.Parallel()
	const line = `	file := filepath.Join(t.TempDir(), "completion", "of", "bash") // see 5`
	text := "package p\n\nfunc A() {\n\tif x {\n\t}\n" + line + "\n}\n"
	set, err := diff.FromPatches([]diff.Patch{{Path: "a.go", Status: diff.Added, Text: "@@ -0,0 +1,7 @@\n+" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n+") + "\n"}})
	if err != nil {
		t.Fatal(err)
	}
	a := domain.Anchor{Path: "a.go", StartLine: 5, EndLine: 5, Quote: "    6 + " + line}
	if out, err := Validate(t.Context(), &a, set, files{"RIGHT:a.go": text}); err != nil || a.StartLine != 6 || a.EndLine != 6 || a.Quote != line {
		t.Errorf("%+v, %+v, %v", out, a, err)
	}
}

type broken struct{}

func (broken) Blob(context.Context, domain.Side, string) ([]byte, error) {
	return nil, errors.New("disk")
}

func TestSourceFailureIsNotADrop(t *testing.T) {
	t.Parallel()
	set, _ := fixture(t)
	a := domain.Anchor{Path: "new.go", StartLine: 13, EndLine: 13, Quote: `x`}
	if _, err := Validate(t.Context(), &a, set, broken{}); err == nil {
		t.Error("a failing source must not look like an invented quotation")
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	set, src := fixture(t)
	src["RIGHT:lib/x.go"] = "package x\n\nfunc Guard() bool { return true }\n"
	for _, tt := range []struct {
		name string
		in   domain.Evidence
		ok   bool
		line int
	}{
		{"in the tree", domain.Evidence{Kind: "code", Path: "lib/x.go", Start: 1, End: 1, Quote: "func Guard() bool { return true }"}, true, 3},
		{"in the diff", domain.Evidence{Kind: "code", Path: "new.go", Start: 13, Quote: `os.Open("a")`}, true, 13},
		{"removed", domain.Evidence{Kind: "code", Path: "new.go", Start: 14, Quote: "if err != nil {"}, true, 14},
		{"false", domain.Evidence{Kind: "code", Path: "lib/x.go", Start: 3, Quote: "func Guard() bool { return false }"}, false, 3},
		{"absent file", domain.Evidence{Kind: "code", Path: "lib/y.go", Start: 3, Quote: "x()"}, false, 3},
		{"hostile path", domain.Evidence{Kind: "code", Path: "../x", Start: 3, Quote: "x()"}, false, 3},
		{"rule", domain.Evidence{Kind: "rule", Quote: "whatever"}, true, 0},
	} {
		list := []domain.Evidence{tt.in}
		ok, err := Evidence(t.Context(), list, set, src)
		if err != nil || ok != tt.ok || list[0].Start != tt.line {
			t.Errorf("%s: %v %v %+v", tt.name, ok, err, list[0])
		}
	}
}
