package check

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Files in the forms that projects have get the findings that a reviewer wants, and no others.
func TestFilesOfProjects(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/ci_files.txtar")
	if err != nil {
		t.Fatal(err)
	}
	heads := regexp.MustCompile(`(?m)^-- (\S+) --\n`).FindAllStringSubmatchIndex(string(raw), -1)
	if len(heads) < 24 {
		t.Fatalf("only %d files", len(heads))
	}
	for i, h := range heads {
		end := len(raw)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		path := string(raw[h[2]:h[3]])
		text, rest, _ := strings.Cut(string(raw[h[1]:end]), "\nwant ")
		want := slices.DeleteFunc(strings.Split(strings.TrimSpace(rest), "\nwant "), func(s string) bool { return s == "" })
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var got []string
			res := run(t, path, "", strings.TrimSuffix(text, "\n")+"\n")
			for _, f := range res.Findings {
				got = append(got, fmt.Sprintf("%s@%d", f.RuleID, f.Anchor.StartLine))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) || len(res.Unread) > 0 {
				t.Errorf("got  %q\nwant %q, unread %q", got, want, res.Unread)
			}
		})
	}
}
