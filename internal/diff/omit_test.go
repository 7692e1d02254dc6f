package diff

import (
	"testing"

	"github.com/assay-dev/assay/internal/errs"
)

func TestOmittedHunksAreSaid(t *testing.T) {
	t.Parallel()
	header := "diff --git a/big file.go b/big file.go\nindex 1111111..2222222 100644\n--- a/big file.go\t\n+++ b/big file.go\t\n"
	raw := append(Lacking("there is more"), Omit([]byte(header), OmittedLarge)...)
	raw = append(raw, "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-omitted a\n+omitted b\n"...)
	set, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if set.Lacks != "there is more" || len(set.Files) != 2 {
		t.Fatalf("lacks %q, %d files", set.Lacks, len(set.Files))
	}
	if f := set.Files[0]; f.Path != "big file.go" || f.Omitted != OmittedLarge || len(f.Hunks) != 0 || f.Status != Modified {
		t.Errorf("%+v", f)
	}
	if f := set.Files[1]; f.Omitted != "" || f.Hunks[0].Lines[1].Text != "omitted b" {
		t.Errorf("%+v", f)
	}
}

func TestFormatIsReadAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		patch   Patch
		status  Status
		binary  bool
		hunks   int
		omitted string
	}{
		"modified":            {patch: Patch{Path: "a.go", Text: "@@ -1 +1 @@\n-x\n+y\n"}, status: Modified, hunks: 1},
		"no end of line":      {patch: Patch{Path: "a.go", Text: "@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file"}, status: Modified, hunks: 1},
		"added":               {patch: Patch{Path: "a b.go", Status: Added, Text: "@@ -0,0 +1 @@\n+y"}, status: Added, hunks: 1},
		"deleted":             {patch: Patch{Path: "a.go", Status: Deleted, Text: "@@ -1 +0,0 @@\n-y"}, status: Deleted, hunks: 1},
		"renamed with change": {patch: Patch{Path: "b.go", OldPath: "a.go", Status: Renamed, Text: "@@ -1 +1 @@\n-x\n+y"}, status: Renamed, hunks: 1},
		"renamed only":        {patch: Patch{Path: "b.go", OldPath: "a.go", Status: Renamed}, status: Renamed},
		"copied":              {patch: Patch{Path: "b.go", OldPath: "a.go", Status: Copied}, status: Copied},
		"binary":              {patch: Patch{Path: "a.png", Binary: true}, status: Modified, binary: true},
		"binary, added":       {patch: Patch{Path: "a.png", Status: Added, Binary: true}, status: Added, binary: true},
		"not shown":           {patch: Patch{Path: "a.go", Omitted: OmittedByHost}, status: Modified, omitted: OmittedByHost},
		"not shown, deleted":  {patch: Patch{Path: "a.go", Status: Deleted, Omitted: OmittedByHost}, status: Deleted, omitted: OmittedByHost},
		"outside the tree":    {patch: Patch{Path: "../x", Text: "@@ -1 +1 @@\n-x\n+y"}, status: Modified, omitted: OmittedPath},
		"strange names":       {patch: Patch{Path: "q\"\n\\ü\x01", OldPath: "old\t", Status: Renamed, Text: "@@ -1 +1 @@\n-x\n+y"}, status: Renamed, hunks: 1},
		"strange name":        {patch: Patch{Path: "q\"\n\\ü\x01", Omitted: OmittedByHost}, status: Modified, omitted: OmittedByHost},
		"no patch":            {patch: Patch{Path: "a.go", Text: "hello"}, status: Modified, omitted: OmittedUnreadable},
		"a second file":       {patch: Patch{Path: "a.go", Text: "@@ -1 +1 @@\n-x\n+y\ndiff --git a/q b/q\nnew file mode 100644\n"}, status: Modified, omitted: OmittedUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := Format([]Patch{tt.patch, {Path: "last", Text: "@@ -1 +1 @@\n-x\n+y"}})
			if err != nil {
				t.Fatal(err)
			}
			set, err := Parse(raw)
			if err != nil || len(set.Files) != 2 {
				t.Fatalf("%v\n%s", err, raw)
			}
			f := set.Files[0]
			if f.Path != tt.patch.Path || f.OldPath != tt.patch.OldPath || f.Status != tt.status || f.Binary != tt.binary || len(f.Hunks) != tt.hunks || f.Omitted != tt.omitted {
				t.Errorf("%+v\n%s", f, raw)
			}
		})
	}
}

func TestFormatRefusesWhatIsNoPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "a\x00b"} {
		for _, text := range []string{"", "@@ -1 +1 @@\n-x\n+y"} {
			if _, err := Format([]Patch{{Path: path, Text: text}}); !errs.Is(err, errs.Malformed) {
				t.Errorf("%q: %v", path, err)
			}
		}
	}
}
