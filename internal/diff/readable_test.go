package diff

import "testing"

// A file whose part of a diff is malformed is left out, and the others are read.
func TestReadableFilesOfAMalformedDiff(t *testing.T) {
	t.Parallel()
	const good = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
	raw := []byte("diff --git a/bad b/bad\n--- a/bad\n+++ b/bad\n@@ -1,9 +1,9 @@\n-a\n+b\n" + good)
	if _, err := Parse(raw); err == nil {
		t.Fatal("the diff is read")
	}
	set, err := ParseReadable(t.Context(), raw)
	if err != nil || len(set.Files) != 1 || set.Files[0].Path != "x" || len(set.Files[0].Hunks) != 1 {
		t.Errorf("%+v, %v", set, err)
	}
}
