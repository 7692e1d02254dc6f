package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// elsewhere finds words that cite a page which a reader of the repository does
// not have. A comment says the thing itself, or cites a page of docs/ or a
// public source.
var elsewhere = regexp.MustCompile(`(?i)\brulings?\b,? ?[a-z]?[0-9]?` +
	`|\b(publishing|review-engine|engine|domain) (design|protocol|description), sections? [0-9]` +
	`|\b(review-engine|domain) (design|description)\b` +
	`|[( ]design, sections? [0-9]` +
	`|\b(the )?specification, sections? [0-9]` +
	`|\b(findings page|issue [0-9]+)\b`)

// space joins lines: the end of a comment's line must not hide a citation.
var space = regexp.MustCompile(`\s+`)

// cited returns the first citation of a page elsewhere in a text, "" if there is no citation.
func cited(text string) string { return elsewhere.FindString(space.ReplaceAllString(text, " ")) }

func TestCommentsCiteWhatReadersHave(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		for _, group := range s.file.Comments {
			if what := cited(group.Text()); what != "" {
				t.Errorf("%s: %q cites a page that is not in the repository: say the thing instead", s.at(group.Pos()), what)
			}
		}
	}
	for _, p := range pages(t) {
		raw, err := os.ReadFile(filepath.Join("..", "..", p))
		if err != nil {
			t.Fatal(err)
		}
		if what := cited(string(raw)); what != "" {
			t.Errorf("%s: %q cites a page that is not in the repository: say the thing instead", p, what)
		}
	}
}

// pages lists the documents and migrations of the repository.
func pages(t *testing.T) (out []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "bin") {
			return fs.SkipDir
		}
		if ext := filepath.Ext(name); !d.IsDir() && (ext == ".md" || ext == ".sql") {
			rel, err := filepath.Rel(root, p)
			out = append(out, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d pages were found: the test looks at the wrong folder", len(out))
	}
	return out
}

func TestCited(t *testing.T) {
	t.Parallel()
	for text, bad := range map[string]bool{
		"a year (rulings, F7)":                                 true,
		"Rulings F1: else it could be read":                    true,
		"the total deadline (publishing design,\nsection 4.6)": true,
		"bounds (review-engine\ndesign, section 7): a share":   true,
		"triage and write review (domain design, section 2)":   true,
		"the defaults of the domain description":               true,
		"compared with (design, section 7)":                    true,
		"in the order of the specification, section 2":         true,
		"see issue 9": true,
		"OpenID Connect Core 1.0, section 3.1.3.7":         false,
		"RFC 7636, section 4.1: 43 to 128 characters":      false,
		"what must not live here: the publishing protocol": false,
		"twenty (design choice)":                           false,
		"the specification of JSON":                        false,
		"a system of rules":                                false,
		"issues and pull requests":                         false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := cited(text); (got != "") != bad {
				t.Errorf("found %q", got)
			}
		})
	}
}
