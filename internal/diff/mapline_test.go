package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/testkit"
)

// The replacement of old lines is what stands between their unchanged neighbours.
func TestReplacement(t *testing.T) {
	t.Parallel()
	const text = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,6 +1,5 @@
 one
-two
-three
+new
 four
 five
-six
+last
@@ -20,3 +19,2 @@
 twenty
-hole
 end
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
`
	set, err := diff.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path        string
		first, last int
		want        string
	}{
		{"a.txt", 2, 2, "1 3 true"},
		{"a.txt", 2, 3, "1 3 true"},
		{"a.txt", 6, 6, "4 5 true"},
		{"a.txt", 21, 21, "19 20 true"},
		{"a.txt", 1, 6, "1 5 true"},
		{"a.txt", 12, 13, "0 0 false"},
		{"b.txt", 1, 1, "0 0 false"},
	} {
		from, to, ok := set.File(c.path).Replacement(c.first, c.last)
		testkit.Equal(t, fmt.Sprint(c.path, c.first, c.last), fmt.Sprint(from, to, ok), c.want)
	}
}

func TestHole(t *testing.T) {
	t.Parallel()
	const text = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,7 +1,4 @@
-top
 one
-two
-three
 four
-five
+new
 six
@@ -20,4 +17,2 @@
 twenty
-hole
 end
-last
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/c.txt b/c.txt
--- a/c.txt
+++ b/c.txt
@@ -4 +3,0 @@
-bare
`
	set, err := diff.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path        string
		first, last int
		want        string
	}{
		{"a.txt", 1, 1, "0 1 true"},
		{"a.txt", 3, 4, "1 2 true"},
		{"a.txt", 4, 4, "1 2 true"},
		{"a.txt", 6, 6, "2 4 false"},
		{"a.txt", 2, 3, "0 0 false"},
		{"a.txt", 1, 4, "0 0 false"},
		{"a.txt", 21, 21, "17 18 true"},
		{"a.txt", 23, 23, "18 0 true"},
		{"a.txt", 12, 13, "0 0 false"},
		{"a.txt", 0, 0, "0 0 false"},
		{"b.txt", 1, 1, "0 0 false"},
		{"c.txt", 4, 4, "0 0 false"},
	} {
		before, after, ok := set.File(c.path).Hole(c.first, c.last)
		testkit.Equal(t, fmt.Sprint(c.path, c.first, c.last), fmt.Sprint(before, after, ok), c.want)
	}
}

// Of a long piece the replacement is as long as what it replaces, at the corresponding place.
func TestReplacementOfALongPiece(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,402 +1,402 @@\n begin\n")
	for i := range 400 {
		fmt.Fprintf(&b, "-old %d\n", i)
	}
	for i := range 400 {
		fmt.Fprintf(&b, "+new %d\n", i)
	}
	b.WriteString(" end\n")
	set, err := diff.Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{2: "1 7 true", 200: "195 205 true", 401: "396 402 true"} {
		from, to, ok := set.File("a.txt").Replacement(line, line)
		testkit.Equal(t, fmt.Sprint(line), fmt.Sprint(from, to, ok), want)
	}
}
