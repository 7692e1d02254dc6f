package arch

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const operationsPage = "docs/console/tasks.md"

var (
	address  = regexp.MustCompile("\"([^\"\n]*/[^\"\n]*)\"|`([^`\n]*/[^`\n]*)`")
	inserted = regexp.MustCompile(`\$\{[^}]*\}`)
	row      = regexp.MustCompile("(?m)^\\| `(/[^`]*)` \\|")
)

// addresses returns the parts of addresses in the console's code that stand between inserted values.
func addresses(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.FromSlash("../../web/src"), func(file string, e fs.DirEntry, err error) error {
		base := filepath.Base(file)
		if err != nil || e.IsDir() || base == "schema.d.ts" || strings.Contains(base, ".test.") || !strings.Contains(filepath.Ext(base), "ts") {
			return err
		}
		content, err := os.ReadFile(file)
		for _, m := range address.FindAllStringSubmatch(string(content), -1) {
			for _, part := range inserted.Split(m[1]+m[2], -1) {
				end, _, _ := strings.Cut(part, "?")
				if strings.HasPrefix(end, "/") && !strings.HasSuffix(end, "/") {
					out = append(out, end)
				}
			}
		}
		return err
	})
	if err != nil || len(out) < 100 {
		t.Fatalf("%d addresses in the code of the console (%v)", len(out), err)
	}
	return out
}

// Each operation of the API is used by the console, or stands with its reason in the table of operations without a page.
func TestEachOperationHasAPageOrAReason(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("..", "..", operationsPage))
	if err != nil {
		t.Fatal(err)
	}
	var description struct{ Paths map[string]any }
	raw, err := os.ReadFile(filepath.FromSlash("../../api/openapi.json"))
	if err == nil {
		err = json.Unmarshal(raw, &description)
	}
	if err != nil {
		t.Fatal(err)
	}
	used, listed := addresses(t), map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(string(content), -1) {
		listed[m[1]] = false
	}
	for path := range description.Paths {
		isUsed := slices.ContainsFunc(used, func(end string) bool { return strings.HasSuffix(path, end) })
		isListed := false
		for prefix := range listed {
			if path == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(path, prefix) {
				isListed, listed[prefix] = true, true
			}
		}
		if !isUsed && !isListed {
			t.Errorf("%s has no page of the console and no row in %s", path, operationsPage)
		}
	}
	for prefix, found := range listed {
		if !found {
			t.Errorf("%s lists %s, which the description of the API does not have", operationsPage, prefix)
		}
	}
}
