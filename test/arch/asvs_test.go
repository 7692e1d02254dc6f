package arch

import (
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// states are the values of a row's state in the ASVS pages, in the order of the counts.
var states = []string{"met", "partly", "gap", "does not apply"}

var (
	requirement = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	shownBy     = regexp.MustCompile("^`([a-zA-Z0-9_./-]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)`$")
	pageLink    = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	countsOf    = regexp.MustCompile(`^\| (?:\[V(\d+) [^|]*|all) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`)
)

// asvsRow is a requirement as a page of docs/asvs has it.
type asvsRow struct{ number, level, asks, how, state, tests string }

// parseRow returns the requirement of a line, and false if the line is not one.
func parseRow(line string) (asvsRow, bool) {
	cells := strings.Split(line, "|")
	if len(cells) < 3 || !requirement.MatchString(strings.TrimSpace(cells[1])) {
		return asvsRow{}, false
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	cells = append(cells, make([]string, 8)...) // a row that lacks cells has empty ones
	return asvsRow{cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]}, true
}

// faults returns what is wrong with a row. tests has every test as folder.Name,
// and isPage reports whether a link of a page leads to a file.
func (r asvsRow) faults(tests map[string]bool, isPage func(string) bool) (out []string) {
	if !slices.Contains(states, r.state) {
		out = append(out, fmt.Sprintf("state %q, want one of %q", r.state, states))
	}
	if r.asks == "" || r.how == "" {
		out = append(out, "a cell is empty")
	}
	named := 0
	for cell := range strings.SplitSeq(r.tests, ", ") {
		m := shownBy.FindStringSubmatch(cell)
		switch {
		case cell == "–":
		case m == nil:
			out = append(out, fmt.Sprintf("%q is not `folder.TestName`", cell))
		case !tests[m[1]+"."+m[2]]:
			out = append(out, fmt.Sprintf("there is no test %s in %s", m[2], m[1]))
		default:
			named++
		}
	}
	links := 0
	for _, m := range pageLink.FindAllStringSubmatch(r.how, -1) {
		if links++; !isPage(m[1]) {
			out = append(out, fmt.Sprintf("the page %s is not there", m[1]))
		}
	}
	asksForDocuments := strings.Split(r.number, ".")[1] == "1" && links > 0
	if r.state == "met" && named == 0 && !asksForDocuments {
		out = append(out, "met, but no test shows it")
	}
	if r.state == "does not apply" && named > 0 {
		out = append(out, "does not apply, but a test shows it")
	}
	return out
}

// allTests returns every function of the test files of the repository as folder.Name.
func allTests(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, s := range tree(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasSuffix(s.path, "_test.go") {
				out[s.dir+"."+f.Name.Name] = true
			}
		}
	}
	if len(out) < 1000 {
		t.Fatalf("only %d tests were found: the test looks at the wrong folder", len(out))
	}
	return out
}

// TestRequirementsOfASVS compares docs/asvs.md and the pages below docs/asvs with the list of
// requirements of level 1 and 2 of OWASP ASVS 5.0.0, and with the tests that they name.
func TestRequirementsOfASVS(t *testing.T) {
	t.Parallel()
	docs := filepath.Join("..", "..", "docs")
	levels := map[string]string{}
	for line := range strings.Lines(read(t, filepath.Join("testdata", "asvs.txt"))) {
		number, level, _ := strings.Cut(strings.TrimSpace(line), " ")
		levels[number] = level
	}
	files, err := filepath.Glob(filepath.Join(docs, "asvs", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("pages of docs/asvs: %d, %v", len(files), err)
	}
	isPage := func(link string) bool {
		_, err := os.Stat(filepath.Join(docs, "asvs", filepath.FromSlash(link)))
		return !errors.Is(err, os.ErrNotExist)
	}
	tests, seen, counts := allTests(t), map[string]string{}, map[string]int{}
	for _, file := range files {
		text, name := read(t, file), filepath.Base(file)
		for line := range strings.Lines(text) {
			r, ok := parseRow(strings.TrimSpace(line))
			if !ok {
				continue
			}
			if before := seen[r.number]; before != "" {
				t.Errorf("%s: %s is in %s already", name, r.number, before)
			}
			seen[r.number] = name
			if levels[r.number] != r.level {
				t.Errorf("%s: %s has level %q, want %q", name, r.number, r.level, levels[r.number])
			}
			for _, fault := range r.faults(tests, isPage) {
				t.Errorf("%s: %s: %s", name, r.number, fault)
			}
			counts[strings.Split(r.number, ".")[0]+" "+r.state]++
			counts[" "+r.state]++
		}
	}
	for number := range levels {
		if seen[number] == "" {
			t.Errorf("%s is in no page of docs/asvs", number)
		}
	}
	summaries := 0
	for line := range strings.Lines(read(t, filepath.Join(docs, "asvs.md"))) {
		m := countsOf.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		summaries++
		for i, state := range states {
			if want := fmt.Sprint(counts[m[1]+" "+state]); m[i+2] != want {
				t.Errorf("asvs.md: V%s counts %s as %q, want %s", m[1], m[i+2], state, want)
			}
		}
	}
	if summaries != 18 {
		t.Errorf("asvs.md has %d lines of counts, want those of 17 chapters and of all", summaries)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestFaultsOfRequirements shows that the check of a row finds faults.
func TestFaultsOfRequirements(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{"internal/x.TestX": true}
	isPage := func(link string) bool { return link == "../x.md" }
	for line, want := range map[string]string{
		"| 1.1.1 | 2 | asks | how | met | `internal/x.TestX` |":                    "",
		"| 1.1.1 | 2 | asks | [x](../x.md#part) | met | – |":                       "",
		"| 1.2.1 | 2 | asks | [x](../x.md) | met | – |":                            "no test shows it",
		"| 1.1.1 | 2 | asks | how | met | – |":                                     "no test shows it",
		"| 1.1.1 | 2 | asks | [y](../y.md) | partly | – |":                         "is not there",
		"| 1.1.1 | 2 | asks | how | partly | `internal/x.TestY` |":                 "no test TestY",
		"| 1.1.1 | 2 | asks | how | partly | `internal/y.TestX` |":                 "in internal/y",
		"| 1.1.1 | 2 | asks | how | met | `internal/x.TestX`, TestX |":             "is not `folder.TestName`",
		"| 1.1.1 | 2 | asks | how | mostly | `internal/x.TestX` |":                 "state",
		"| 1.1.1 | 2 | asks |  | gap | – |":                                        "empty",
		"| 1.1.1 | 2 | asks |":                                                     "state",
		"| 1.1.1 | 2 | asks | how | does not apply | `internal/x.TestX` |":         "does not apply",
		"| 1.1.1 | 2 | asks | how, with a bar \\| | met | `internal/x.TestX` |":    "state",
		"| 1.1.1 | 2 | asks | how | met | `internal/x.TestX`,`internal/x.TestX` |": "is not `folder.TestName`",
	} {
		r, ok := parseRow(line)
		if got := strings.Join(r.faults(tests, isPage), "; "); !ok || (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if _, ok := parseRow("| number | level | asks | in assay | state | shown by |"); ok {
		t.Error("the head of a table is read as a requirement")
	}
}
