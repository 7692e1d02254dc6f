package arch

import (
	"bufio"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// patterns match what docs/style.md tells writers to avoid.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(nobody|somebody|whoever)\b`),
	regexp.MustCompile(`(?i)\bof\s(which|whom|what)\b`),
	regexp.MustCompile(`(?i)\b(tells?|told|says?|said|knows?|knew|known|asks?|asked)\sof\b`),
	regexp.MustCompile(`(?i)\b(has|have|had|is|are|was|were|be)\snone\b`),
	regexp.MustCompile(`(?i)\b(anew|as\sever|all\sthe\ssame)\b`),
	regexp.MustCompile(`(?:^|[.!?]\s|\n\n)(What|Which|Whether|Whom|Whose|Who|Of|That)\s`),
}

// maxColumns bounds a line; a tab counts as one column.
const maxColumns = 140

// figures counts one kind of places by package. The total may only fall.
type figures map[string]int

func (f figures) total() (sum int) {
	for _, n := range f {
		sum += n
	}
	return sum
}

// place is one occurrence: its location and its text.
type place struct{ dir, at, text string }

func count(places []place) figures {
	f := figures{}
	for _, p := range places {
		f[p.dir]++
	}
	return f
}

// avoided returns the places in a file's comments that have a pattern, and
// the number of lines of the comments. Directives are not comments.
func avoided(s source) (out []place, lines int) {
	for _, group := range s.file.Comments {
		text := group.Text()
		if text == "" {
			continue
		}
		first := s.fset.Position(group.Pos()).Line
		lines += s.fset.Position(group.End()).Line - first + 1
		for _, re := range patterns {
			for _, at := range re.FindAllStringIndex(text, -1) {
				word := strings.TrimSpace(strings.TrimLeft(text[at[0]:at[1]], ".!? \n"))
				line := first + strings.Count(text[:at[1]-1], "\n")
				out = append(out, place{s.dir, s.path + ":" + strconv.Itoa(line), strconv.Quote(space.ReplaceAllString(word, " "))})
			}
		}
	}
	return out, lines
}

// wide returns the lines of a file that have more than maxColumns columns.
func wide(s source) (out []place) {
	n := 0
	for line := range strings.Lines(s.text) {
		n++
		if columns := utf8.RuneCountInString(strings.TrimRight(line, "\n")); columns > maxColumns {
			out = append(out, place{s.dir, s.path + ":" + strconv.Itoa(n), strconv.Itoa(columns) + " columns"})
		}
	}
	return out
}

// isRoutes reports whether a file is a table of routes, whose lines may be long.
func isRoutes(file string) bool {
	base := path.Base(file)
	return base == "routes.go" || strings.HasPrefix(base, "routes_")
}

// product reports whether a file is production code that people wrote.
func product(s source) bool {
	return !s.test && !helper(s.dir) && !matches("test/...", s.dir) && !ast.IsGenerated(s.file)
}

// ratchet compares places with the committed figures. It returns "" if the
// total is the committed one or a little below it.
func ratchet(what string, places []place, committed figures) string {
	now, before, have := count(places), committed.total(), len(places)
	switch slack := max(20, before/50); {
	case have > before:
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %d, and test/arch/figures.txt allows %d. Packages with more than before:", what, have, before)
		for _, dir := range slices.Sorted(maps.Keys(now)) {
			if now[dir] <= committed[dir] {
				continue
			}
			fmt.Fprintf(&b, "\n%s: %d, before %d", dir, now[dir], committed[dir])
			for _, p := range places {
				if p.dir == dir {
					fmt.Fprintf(&b, "\n\t%s %s", p.at, p.text)
				}
			}
		}
		return b.String()
	case have < before-slack:
		return fmt.Sprintf("%s: only %d are left of %d. Lower test/arch/figures.txt: go test ./test/arch -run TestStyle -update", what, have, before)
	}
	return ""
}

const figuresHead = `# Places in production code that docs/style.md tells writers to avoid, by package. style_test.go reads this file;
# the total of each kind may only fall. "go test ./test/arch -run TestStyle -update" lowers the figures.
#
#   comment <package> <count>  patterns in comments
#   line <package> <count>     lines above 140 columns, without tables of routes
`

// readFigures reads figures.txt by kind.
func readFigures(t *testing.T) map[string]figures {
	t.Helper()
	f, err := os.Open("figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]figures{"comment": {}, "line": {}}
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		text := scan.Text()
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		var kind, dir string
		var count int
		if _, err := fmt.Sscanf(text, "%s %s %d", &kind, &dir, &count); err != nil || out[kind] == nil {
			t.Fatalf("figures.txt:%d: not understood", n)
		}
		out[kind][dir] = count
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func writeFigures(t *testing.T, now map[string]figures) {
	t.Helper()
	var b strings.Builder
	b.WriteString(figuresHead)
	for _, kind := range slices.Sorted(maps.Keys(now)) {
		b.WriteString("\n")
		for _, dir := range slices.Sorted(maps.Keys(now[kind])) {
			fmt.Fprintf(&b, "%s %s %d\n", kind, dir, now[kind][dir])
		}
	}
	if err := os.WriteFile("figures.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	var comments, long []place
	lines := 0
	for _, s := range tree(t) {
		if !product(s) {
			continue
		}
		found, n := avoided(s)
		comments, lines = append(comments, found...), lines+n
		if !isRoutes(s.path) {
			long = append(long, wide(s)...)
		}
	}
	t.Logf("%d patterns in %d comment lines: %.1f per 1,000", len(comments), lines, 1000*float64(len(comments))/float64(lines))
	t.Logf("%d lines above %d columns", len(long), maxColumns)
	committed := readFigures(t)
	failed := false
	for kind, places := range map[string][]place{"comment": comments, "line": long} {
		why := ratchet(kind+"s to avoid (docs/style.md)", places, committed[kind])
		if why != "" && (!*update || len(places) > committed[kind].total()) {
			t.Error(why)
			failed = true
		}
	}
	if *update && !failed {
		writeFigures(t, map[string]figures{"comment": count(comments), "line": count(long)})
	}
}
