package patch

import (
	"fmt"
	"strings"
	"testing"
)

const sample = `@@ -1,4 +1,5 @@ func main
 one
-two
+2
+2.5
 three
 four
@@ -10,2 +11,0 @@
-ten
-eleven
@@ -20,0 +20,1 @@
+twenty
\ No newline at end of file`

func TestFind(t *testing.T) {
	hunks, err := Parse(sample)
	if err != nil || len(hunks) != 3 {
		t.Fatalf("%d hunks, %v", len(hunks), err)
	}
	tests := []struct {
		side     string
		line     int
		text     string
		position int
	}{
		{Right, 1, "one", 1}, {Left, 2, "two", 2}, {Right, 2, "2", 3}, {Right, 3, "2.5", 4}, {Left, 3, "three", 5}, {Right, 5, "four", 6},
		{Left, 11, "eleven", 9}, {Right, 20, "twenty", 11},
	}
	for _, tt := range tests {
		h, i, ok := Find(hunks, tt.side, tt.line)
		if !ok || hunks[h].Lines[i].Text != tt.text || hunks[h].Lines[i].Position != tt.position {
			t.Errorf("%s %d: %v %+v", tt.side, tt.line, ok, hunks[h].Lines[i])
		}
		if h2, i2, ok := ByPosition(hunks, tt.position); !ok || h2 != h || i2 != i {
			t.Errorf("position %d: %d %d", tt.position, h2, i2)
		}
	}
	for _, at := range []struct {
		side string
		line int
	}{{Right, 0}, {Right, 6}, {Right, 11}, {Left, 20}, {Left, -1}, {"UP", 1}} {
		if _, _, ok := Find(hunks, at.side, at.line); ok {
			t.Errorf("%s %d is not in the diff", at.side, at.line)
		}
	}
	if !hunks[2].Lines[0].NoEOL {
		t.Error("the missing line feed was not seen")
	}
	if got := Excerpt(hunks[0], 1); got != "@@ -1,4 +1,5 @@ func main\n one\n-two" {
		t.Errorf("excerpt: %q", got)
	}
}

func TestMapLine(t *testing.T) {
	hunks, err := Parse("@@ -1,4 +1,5 @@\n one\n-two\n+2\n+2.5\n three\n four\n@@ -10,2 +11,0 @@\n-ten\n-eleven\n@@ -20,0 +20,1 @@\n+x")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]int{1: 1, 2: 0, 3: 4, 4: 5, 5: 6, 9: 10, 10: 0, 12: 11, 20: 19, 21: 21} {
		got, ok := MapLine(hunks, line)
		if ok != (want != 0) || (ok && got != want) {
			t.Errorf("line %d: %d %v, want %d", line, got, ok, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"header without numbers": "@@ -a +b @@\n", "no end": "@@ -1 +1", "negative": "@@ --1 +1 @@\n x", "too short": "@@ -1,3 +1,3 @@\n one",
		"too long": "@@ -1,1 +1,1 @@\n one\n two", "strange line": "@@ -1,1 +1,1 @@\n?one", "text after": "@@ -1,1 +1,1 @@\n one\nmore",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if hunks, err := Parse("diff --git a/x b/x\nold mode 1\n"); err != nil || len(hunks) != 0 {
		t.Errorf("a section without hunks: %v %v", hunks, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		hunks, err := Parse(text)
		if err != nil {
			return
		}
		for _, h := range hunks {
			old, fresh := 0, 0
			for i, l := range h.Lines {
				old += map[bool]int{true: 1}[l.Kind != '+']
				fresh += map[bool]int{true: 1}[l.Kind != '-']
				if !strings.HasPrefix(Excerpt(h, i), h.Header) {
					t.Fatal("the excerpt lacks its header")
				}
			}
			if head := fmt.Sprintf("-%d", h.OldStart); !strings.Contains(h.Header, head) && !strings.Contains(h.Header, "-0") && !strings.Contains(h.Header, "+") {
				t.Fatalf("header %q", h.Header)
			}
			if old > 0 {
				MapLine(hunks, h.OldStart)
			}
		}
	})
}

func TestExcerpt(t *testing.T) {
	hunks, err := Parse("@@ -1,3 +1,4 @@ func\n one\n-two\n+2\n+3\n four")
	if err != nil {
		t.Fatal(err)
	}
	text := Excerpt(hunks[0], 2)
	if _, err := Parse(text); err == nil {
		t.Error("an excerpt is not a whole patch")
	}
	h, err := ParseExcerpt(text)
	if err != nil || len(h.Lines) != 3 || h.Lines[2].New != 2 || h.Lines[2].Text != "2" {
		t.Errorf("%+v, error %v", h, err)
	}
	for _, bad := range []string{"", "no hunk", "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b", "@@ -1 +1 @@\n-a\n+b\n c"} {
		if _, err := ParseExcerpt(bad); err == nil {
			t.Errorf("%q was accepted as an excerpt", bad)
		}
	}
}
