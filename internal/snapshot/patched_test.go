package snapshot

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestADiffIsAppliedToACommit(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	r := open(t, &Cache{Dir: t.TempDir()}, u)
	good := "diff --git a/main.go b/main.go\n--- a/main.go\n+++ b/main.go\n@@ -1,5 +1,5 @@\n package main\n \n func main() {\n-\tprintln(1)\n+\tprintln(3)\n }\n" +
		"diff --git a/crlf.txt b/crlf.txt\ndeleted file mode 100644\n--- a/crlf.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\r\n-b\r\n" +
		"diff --git a/fresh.go b/fresh.go\nnew file mode 100644\n--- /dev/null\n+++ b/fresh.go\n@@ -0,0 +1 @@\n+package fresh\n"
	p, err := r.Patched(t.Context(), u.base, []byte(good))
	testkit.OK(t, err)
	raw, err := p.Diff(t.Context())
	testkit.OK(t, err)
	for _, part := range []string{"+\tprintln(3)", "deleted file mode", "+package fresh"} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("the diff lacks %q: %s", part, raw)
		}
	}
	text, err := p.Blob(t.Context(), domain.Right, "fresh.go")
	testkit.OK(t, err)
	testkit.Equal(t, "new file", string(text), "package fresh\n")
	if _, err := p.Blob(t.Context(), domain.Right, "crlf.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted file: %v", err)
	}
	found, err := p.Search(t.Context(), Query{Expressions: []string{"println"}}, 10)
	testkit.OK(t, err)
	if len(found) != 1 || found[0].Text != "\tprintln(3)" {
		t.Errorf("search: %+v", found)
	}
	testkit.OK(t, p.Close())
	for what, tc := range map[string]struct {
		base, patch string
		kind        errs.Kind
	}{
		"another base": {u.head, good, errs.Conflict}, "no diff": {u.base, "hello\n", errs.Malformed}, "nothing": {u.base, "", errs.Malformed}, "no commit": {"--all", good, errs.Malformed},
		"out of the tree": {u.base, strings.ReplaceAll(good, "fresh.go", "../fresh.go"), errs.Conflict}, "into .git": {u.base, strings.ReplaceAll(good, "fresh.go", ".git/config"), errs.Conflict},
	} {
		if _, err := r.Patched(t.Context(), tc.base, []byte(tc.patch)); !errs.Is(err, tc.kind) {
			t.Errorf("%s: %v, want %v", what, err, tc.kind)
		}
	}
	if again, err := r.Blob(t.Context(), u.base, "main.go"); err != nil || !strings.Contains(string(again), "println(1)") {
		t.Errorf("the store has changed: %s %v", again, err)
	}
}
