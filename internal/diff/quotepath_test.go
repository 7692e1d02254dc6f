package diff

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A path that is not UTF-8 is quoted as git does, and two different paths never have the same text.
func TestQuotePath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a.py": "a.py", "ünï.py": "ünï.py", `a"b\c.py`: `a"b\c.py`, "new\nline": "new\nline", "": "",
		"\xff\xfe.py": `"\377\376.py"`, "\xff\xfd.py": `"\377\375.py"`, "ä\xff/x.py": `"\303\244\377/x.py"`, `"q.py`: `"\"q.py"`,
		`"\377\376.py"`: `"\"\\377\\376.py\""`, "\xff\a\b\t\n\v\f\r\"\\\x01\x7f": `"\377\a\b\t\n\v\f\r\"\\\001\177"`,
	} {
		if got := QuotePath(path); got != want {
			t.Errorf("%q is %s, want %s", path, got, want)
		}
		if raw, err := json.Marshal(QuotePath(path)); err != nil || strings.Contains(string(raw), `\ufffd`) {
			t.Errorf("%q is %s in JSON, %v", path, raw, err)
		}
	}
}

func TestQuotePathIsThatOfGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q")
	for _, name := range []string{"\xff\xfe.py", "\xe4 \x01\x7f\\\"\t.go", `"q.py`} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Skip("the file system takes UTF-8 alone")
		}
		if got := testkit.Git(t, dir, "-c", "core.quotePath=true", "ls-files", "--others", "--", ":(literal)"+name); got != QuotePath(name) {
			t.Errorf("%q is %s, and git writes %s", name, QuotePath(name), got)
		}
	}
}
